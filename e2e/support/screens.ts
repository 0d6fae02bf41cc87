// Finds things on the screens by the words that a reader sees.
import { expect, type Page } from '@playwright/test';

/** The number next to a name in a list of facts. */
export const fact = (page: Page, region: string, name: string) =>
  page
    .getByRole('region', { name: region, exact: true })
    .locator('dl > div', { has: page.getByText(name, { exact: true }) })
    .getByRole('definition');

type File = Parameters<ReturnType<Page['locator']>['setInputFiles']>[0];

/** Gives the import screen a file, once it accepts one. Before that, the screen does not know the source. */
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
