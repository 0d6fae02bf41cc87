// What a screen looks like and whether everybody can use it, in both themes and both sizes.
import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

export const SIZES = {
  desktop: { width: 1440, height: 900 },
  mobile: { width: 390, height: 844 },
} as const;

const THEMES = ['light', 'dark'] as const;
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

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

async function expectAccessible(page: Page, what: string, within: string) {
  // No frames here: the mode that spares a second tab per look.
  const axe = new AxeBuilder({ page }).setLegacyMode().include(within).withTags(TAGS);
  const { violations } = await axe.analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target}`).join(', ')}`);
  expect.soft(found, `axe has nothing to say about ${what}`).toEqual([]);
}

/**
 * Checks and photographs the screen that is open, in both themes. The name becomes the file's.
 *
 * What lies over a screen that has its own look needs no second look at what is below: `within`
 * names it.
 */
export async function look(page: Page, name: string, size: keyof typeof SIZES = 'desktop', within = 'html') {
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme });
    await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme);
    await settle(page);
    await page.screenshot({ path: `results/${name}-${size}-${colorScheme}.png` });
    await expectAccessible(page, `${name} (${size}, ${colorScheme})`, within);
    await expectNoSideways(page, name);
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

/** The same in both sizes, for screens that are hard to come back to. */
export async function lookInBothSizes(page: Page, name: string) {
  await look(page, name, 'desktop');
  await page.setViewportSize(SIZES.mobile);
  await look(page, name, 'mobile');
  await page.setViewportSize(SIZES.desktop);
}

/** Only regions of their own may scroll sideways, never the page. */
async function expectNoSideways(page: Page, name: string) {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect.soft(over, `${name} fits the width of the window`).toBeLessThanOrEqual(0);
}
