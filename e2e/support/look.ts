// What a screen looks like and whether everybody can use it, in both themes and both sizes.
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

/** Waits until nothing moves, loads or fades any more. */
async function settle(page: Page) {
  await page.evaluate(async () => {
    await document.fonts.ready;
    // Asked again and again: the end of one may be the start of another.
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
  /** Pixels by which the page is wider than the window. */
  sideways: number;
}

/**
 * Runs axe in the page. The package that does so for Playwright loads axe anew for every run and
 * brings back everything that was in order as well, which takes several times as long.
 */
async function examine(page: Page, within: string, colorScheme: (typeof THEMES)[number]): Promise<Findings> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  return page.evaluate(
    async ({ within, tags, preload }) => {
      const { axe } = window as unknown as { axe: typeof import('axe-core') };
      const results: AxeResults = await axe.run(within, {
        runOnly: { type: 'tag', values: tags },
        resultTypes: ['violations'],
        preload,
      });
      const { scrollWidth, clientWidth } = document.documentElement;
      return {
        violations: results.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => `${target}`).join(', ')}`),
        sideways: scrollWidth - clientWidth,
      };
    },
    // Style sheets and media are read for two rules that no theme changes: once is enough.
    { within, tags: TAGS, preload: colorScheme === THEMES[0] },
  );
}

/**
 * Checks and photographs the screen that is open, in both themes. The name is a row of the table in
 * `looks.ts` and becomes that of the file.
 *
 * What lies over a screen that has its own look needs no second look at what is below: `within`
 * names it.
 */
export async function look(page: Page, name: LookName, size: Size = 'desktop', within = 'html') {
  expect(screenAt(new URL(page.url()).pathname), `${name} is a look of the screen that is open`).toBe(screenOf(name));
  for (const colorScheme of THEMES) {
    const id = lookId(name, size, colorScheme);
    await page.emulateMedia({ colorScheme });
    await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme);
    await settle(page);
    await page.screenshot({ path: `results/${name}-${size}-${colorScheme}.jpg`, type: 'jpeg', quality: 85 });
    const { violations, sideways } = await examine(page, within, colorScheme);
    expect.soft(violations, `axe has nothing to say about ${id}`).toEqual([]);
    // Only regions of their own may scroll sideways, never the page.
    expect.soft(sideways, `${id} fits the width of the window`).toBeLessThanOrEqual(0);
    test.info().annotations.push({ type: 'look', description: id });
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

/** The same in both sizes, for screens that are hard to come back to. */
export async function lookInBothSizes(page: Page, name: LookName, within = 'html') {
  await look(page, name, 'desktop', within);
  await page.setViewportSize(SIZES.mobile);
  await look(page, name, 'mobile', within);
  await page.setViewportSize(SIZES.desktop);
}
