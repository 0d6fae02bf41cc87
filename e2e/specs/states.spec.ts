// What the screens say when there is no data, when nothing matches, and when something fails.
import type { Page, Route } from '@playwright/test';
import { expect, test } from '../support/fixtures.ts';
import { look, lookInBothSizes } from '../support/look.ts';
import { chooseFile } from '../support/screens.ts';

test.use({ as: 'admin' });

// Matches what a browser logs about a request that this test broke.
const BROKEN = /Failed to load resource|ERR_FAILED|503|500/;

const asks = (route: Route, field: string) => route.request().postData()?.includes(`${field}(`) ?? false;

/** Breaks every request for this GraphQL field until the returned function is called. */
async function breakQuery(page: Page, field: string, how: (route: Route) => Promise<void>) {
  const handler = (route: Route) => (asks(route, field) ? how(route) : route.fallback());
  await page.route('**/graphql', handler);
  return () => page.unroute('**/graphql', handler);
}

const table = (page: Page) => page.getByRole('table', { name: 'Deliveries' });

test('no match: says how many filters are on and takes them off', async ({ page }) => {
  await page.goto('/deliveries');
  await expect(table(page)).toBeVisible();
  await page.keyboard.press('/');
  await page.keyboard.type('no such document');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'No deliveries match' })).toBeVisible();
  await expect(page.getByText('1 filter applied. Clear it to see more.')).toBeVisible();
  await lookInBothSizes(page, 'deliveries-no-match');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(page).toHaveURL('/deliveries');
  await expect(table(page).locator('tbody tr')).toHaveCount(25);
});

test('while the list loads it says so', async ({ page }) => {
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await breakQuery(page, 'deliveries', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto('/deliveries');
  await expect(page.getByRole('region', { name: 'Deliveries' })).toHaveAttribute('aria-busy', 'true');
  await expect(page.getByRole('main').getByText('Loading...')).toBeVisible();
  await look(page, 'deliveries-loading');
  answer();
  await expect(table(page).locator('tbody').getByRole('link')).toHaveCount(25);
});

for (const [what, how, hint] of [
  ['no connection', (route: Route) => route.abort(), 'An error has occurred'],
  ['a server that is down', (route: Route) => route.fulfill({ status: 503, body: 'busy' }), 'An error has occurred'],
  [
    'a server that failed',
    (route: Route) => route.fulfill({ json: { data: null, errors: [{ message: 'Something went wrong.', extensions: { code: 'INTERNAL' } }] } }),
    'Retry in a moment.',
  ],
] as const) {
  test(`a list that cannot be read: ${what}`, async ({ page, quiet }) => {
    quiet.expectNoise(BROKEN);
    const mend = await breakQuery(page, 'deliveries', how);
    await page.goto('/deliveries');
    const failure = page.getByRole('alert').filter({ hasText: 'Something went wrong' });
    await expect(failure).toBeVisible();
    await expect(failure).toContainText(hint);
    if (what === 'no connection') await look(page, 'deliveries-error');
    await mend();
    await failure.getByRole('button', { name: 'Retry' }).click();
    await expect(table(page).locator('tbody').getByRole('link')).toHaveCount(25);
    await expect(failure).toBeHidden();
  });
}

test('a refresh that fails keeps the rows and says how old they are', async ({ page, quiet }) => {
  quiet.expectNoise(BROKEN);
  await page.goto('/deliveries');
  const rows = table(page).locator('tbody').getByRole('link');
  await expect(rows).toHaveCount(25);
  const shown = await rows.allInnerTexts();
  await rows.first().click();
  await expect(page).toHaveURL(/\/view-delivery\//);
  await expect(page.getByRole('region', { name: 'Details' })).toBeVisible();
  const mend = await breakQuery(page, 'deliveries', (route) => route.abort());
  await page.goBack();
  const note = page.getByRole('status').filter({ hasText: "Couldn't refresh. Showing data from" });
  await expect(note).toBeVisible();
  expect(await rows.allInnerTexts()).toEqual(shown);
  await look(page, 'deliveries-stale');
  await mend();
  await note.getByRole('button', { name: 'Retry' }).click();
  await expect(note).toBeHidden();
  expect(await rows.allInnerTexts()).toEqual(shown);
});

test('a delivery that cannot be read offers to try again', async ({ page, quiet }) => {
  quiet.expectNoise(BROKEN);
  await page.goto('/deliveries');
  const link = table(page).locator('tbody').getByRole('link').first();
  const id = await link.innerText();
  const mend = await breakQuery(page, 'delivery', (route) => route.abort());
  await link.click();
  const failure = page.getByRole('alert').filter({ hasText: 'Something went wrong' });
  await expect(failure).toBeVisible();
  await mend();
  await failure.getByRole('button', { name: 'Retry' }).click();
  await expect(page.getByRole('heading', { name: id, exact: true })).toBeVisible();
});

test.describe('an upload', () => {
  const csv = { name: 'few.csv', mimeType: 'text/csv', buffer: Buffer.from('Delivery Doc\n1\n') };

  test('that the store refuses says so in the fixed words, and can be repeated', async ({ page, quiet }) => {
    quiet.expectNoise(BROKEN);
    await page.route('**/objects/**', (route) => route.fulfill({ status: 500, body: 'no' }));
    await page.goto('/upload-deliveries');
    await chooseFile(page, csv);
    const note = page.getByRole('alert').filter({ hasText: 'Upload failed. Something went wrong' });
    await expect(note.first()).toBeVisible();
    await expect(page.getByText("few.csv wasn't imported. Choose it again to retry.")).toBeVisible();
    await expect(page).toHaveURL('/upload-deliveries');
    await look(page, 'import-upload-failed');
    await page.unroute('**/objects/**');
    await chooseFile(page, csv);
    await expect(page).toHaveURL(/\/uploaded-details\//);
  });

  test('that was answered with another good status is none', async ({ page }) => {
    await page.route('**/objects/**', (route) => route.fulfill({ status: 204 }));
    await page.goto('/upload-deliveries');
    await chooseFile(page, csv);
    await expect(page.getByText('Upload failed. Something went wrong').first()).toBeVisible();
  });

  test('that gets no link says so', async ({ page, quiet }) => {
    quiet.expectNoise(BROKEN);
    await page.route('**/request-upload-link', (route) => route.abort());
    await page.goto('/upload-deliveries');
    await chooseFile(page, csv);
    await expect(page.getByText('upload url request failed').first()).toBeVisible();
  });

  test('of what is no spreadsheet is not begun', async ({ page }) => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto('/upload-deliveries');
    const wrong = [
      [{ ...csv, name: 'photo.png', mimeType: 'image/png' }, 'Invalid file'],
      [{ ...csv, buffer: Buffer.alloc(0) }, 'The file is empty'],
    ] as const;
    for (const [file, text] of wrong) {
      await chooseFile(page, file);
      await expect(page.getByRole('alert').filter({ hasText: text })).toBeVisible();
    }
    expect(asked).not.toContain('/request-upload-link');
  });

  test('that is dropped onto the page is taken like one that was chosen', async ({ page }) => {
    await page.goto('/upload-deliveries');
    await expect(page.getByRole('button', { name: 'Choose file' }).first()).toBeEnabled();
    const transfer = await page.evaluateHandle(() => {
      const files = new DataTransfer();
      files.items.add(new File(['Delivery Doc\n1\n'], 'dropped.csv', { type: 'text/csv' }));
      return files;
    });
    await page.getByText('Drop a file here to upload it').dispatchEvent('drop', { dataTransfer: transfer });
    await expect(page).toHaveURL(/\/uploaded-details\//);
    await expect(page.getByRole('heading', { name: 'Import dropped.csv' })).toBeVisible();
  });
});
