// Checks how a screen looks and whether everybody can use it, in both themes and both sizes.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { AxeResults } from 'axe-core';
import { expect, test, type Page } from '@playwright/test';
import { lookId, screenAt, screenOf, THEMES, type LookName, type Size } from './looks.ts';

export const SIZES = {
  desktop: { width: 1440, height: 900 },
  mobile: { width: 390, height: 844 },
} as const satisfies Record<Size, object>;

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** Waits until nothing moves, loads or fades anymore. */
export async function settle(page: Page) {
  await page.evaluate(async () => {
    await document.fonts.ready;
    // Ask again and again, because one animation may start another when it ends.
    for (;;) {
      const running = document
        .getAnimations()
        .filter((it) => it.playState === 'running' && it.effect?.getComputedTiming().endTime !== Infinity);
      if (running.length === 0) return;
      await Promise.allSettled(running.map((it) => it.finished));
    }
  });
}

interface Findings {
  violations: string[];
  /** How many pixels the page is wider than the window. */
  sideways: number;
}

/** The default part to examine: the whole page, with its landmarks. */
const PAGE = 'html';

/**
 * Runs axe in the page. The axe package for Playwright loads axe again for every run and also returns
 * everything that passed, which takes several times as long.
 */
export async function examine(page: Page, { within = PAGE, preload = true, contrast = true } = {}): Promise<Findings> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  return page.evaluate(
    async ({ within, tags, region, contrast, preload }) => {
      const { axe } = window as unknown as { axe: typeof import('axe-core') };
      // Besides axe's defaults, accept tooltips outside of landmarks: a tooltip belongs to its element
      // wherever it is drawn.
      const regionMatcher = 'dialog, [role=dialog], [role=alertdialog], svg, [role=tooltip]';
      axe.configure({ checks: [{ id: 'region', options: { regionMatcher } }] });
      const results: AxeResults = await axe.run(within, {
        runOnly: { type: 'tag', values: tags },
        // The WCAG tags leave out `region`, which requires all content to be inside a landmark.
        rules: { region: { enabled: region }, 'color-contrast': { enabled: contrast } },
        resultTypes: ['violations'],
        preload,
      });
      const { scrollWidth, clientWidth } = document.documentElement;
      return {
        violations: results.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => `${target}`).join(', ')}`),
        sideways: scrollWidth - clientWidth,
      };
    },
    { within, tags: TAGS, region: within === PAGE, contrast, preload },
  );
}

/**
 * Checks the open screen with axe and takes a screenshot of it, in both themes. `name` is a row of the table in
 * `looks.ts`. The name of the screenshot's file starts with it.
 *
 * For a dialog or menu that lies over a screen, `within` selects only that part, because the screen below has
 * its own look.
 */
export async function look(page: Page, name: LookName, size: Size = 'desktop', within = PAGE) {
  expect(screenAt(new URL(page.url()).pathname), `${name} is a look of the screen that is open`).toBe(screenOf(name));
  if (!name.includes('loading')) await expect(page.getByRole('status', { name: 'Loading...' })).toHaveCount(0);
  for (const colorScheme of THEMES) {
    const id = lookId(name, size, colorScheme);
    await page.emulateMedia({ colorScheme });
    await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme);
    await settle(page);
    await page.screenshot({ path: `results/${name}-${size}-${colorScheme}.jpg`, type: 'jpeg', quality: 85 });
    // Two rules read style sheets and media. Their result is the same in both themes, so run them once.
    const { violations, sideways } = await examine(page, { within, preload: colorScheme === THEMES[0] });
    expect.soft(violations, `axe has nothing to say about ${id}`).toEqual([]);
    // Only parts with their own scroll bar may scroll sideways, never the page.
    expect.soft(sideways, `${id} fits the width of the window`).toBeLessThanOrEqual(0);
    test.info().annotations.push({ type: 'look', description: id });
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

/** Calls `look` in both sizes, for screens that are difficult to open again. */
export async function lookInBothSizes(page: Page, name: LookName, within = PAGE) {
  await look(page, name, 'desktop', within);
  await page.setViewportSize(SIZES.mobile);
  await look(page, name, 'mobile', within);
  await page.setViewportSize(SIZES.desktop);
}
