// Finds things on the screens by the words that people see.
import { expect, type Page } from '@playwright/test';

/** Finds the value next to a name in a list of details. */
export const fact = (page: Page, region: string, name: string) =>
  page
    .getByRole('region', { name: region, exact: true })
    .locator('dl > div', { has: page.getByText(name, { exact: true }) })
    .getByRole('definition');

type File = Parameters<ReturnType<Page['locator']>['setInputFiles']>[0];

/** Chooses a file on the import screen, as soon as the screen has loaded the sources and accepts a file. */
export async function chooseFile(page: Page, file: File) {
  await expect(page.getByRole('button', { name: 'Choose file' }).first()).toBeEnabled();
  await page.locator('input[type=file]').setInputFiles(file);
}

/**
 * Makes the browser unable to draw maps, so that tables replace them. Without a graphics card, drawing takes
 * minutes.
 */
export async function withoutWebgl(page: Page) {
  await page.addInitScript(() => {
    const { getContext } = HTMLCanvasElement.prototype;
    HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, kind: string, ...rest: unknown[]) {
      return kind.startsWith('webgl') ? null : Reflect.apply(getContext, this, [kind, ...rest]);
    } as typeof getContext;
  });
}
