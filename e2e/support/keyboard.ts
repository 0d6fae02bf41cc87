// What a person without a mouse does.
import { expect, type Locator, type Page } from '@playwright/test';

/** Presses Tab until this has the focus, as a person would who looks for it. */
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

/** Goes to a box and types over what is in it. */
export async function typeInto(page: Page, target: Locator, text: string) {
  await reach(page, target);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type(text);
}

/** Takes an entry of the menu that is open. */
export async function choose(page: Page, entry: string) {
  const item = page.getByRole('menuitem', { name: entry });
  await expect(item).toBeVisible();
  await expect(async () => {
    await page.keyboard.press('ArrowDown');
    await expect(item).toBeFocused({ timeout: 500 });
  }).toPass();
  await page.keyboard.press('Enter');
}
