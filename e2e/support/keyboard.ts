// Actions of a person without a mouse.
import { expect, type Locator, type Page } from '@playwright/test';

/** Presses Tab until the target has the focus, as a person would. */
export async function reach(page: Page, target: Locator) {
  await expect(target).toBeVisible();
  for (let presses = 0; presses < 150; presses += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${target} is out of reach`);
}

export async function press(page: Page, target: Locator, key = 'Enter') {
  await reach(page, target);
  await page.keyboard.press(key);
}

/** Moves the focus to a text input and replaces its content. */
export async function typeInto(page: Page, target: Locator, text: string) {
  await reach(page, target);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type(text);
}

/** Chooses an entry of the open menu. */
export async function choose(page: Page, entry: string) {
  const item = page.getByRole('menuitem', { name: entry });
  await expect(item).toBeVisible();
  await expect(async () => {
    await page.keyboard.press('ArrowDown');
    await expect(item).toBeFocused({ timeout: 500 });
  }).toPass();
  await page.keyboard.press('Enter');
}
