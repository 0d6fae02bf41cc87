// Where things are on the screens, in the words a reader of them would use.
import type { Page } from '@playwright/test';

/** The number beside a name in a list of facts. */
export const fact = (page: Page, region: string, name: string) =>
  page
    .getByRole('region', { name: region, exact: true })
    .locator('dl > div', { has: page.getByText(name, { exact: true }) })
    .getByRole('definition');
