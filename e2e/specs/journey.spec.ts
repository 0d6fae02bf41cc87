// A person with a fresh installation and a spreadsheet creates the first account, imports the spreadsheet, finds a
// single delivery, and signs out.
import type { Page } from '@playwright/test';
import { admin } from '../support/api.ts';
import { byCustomer, fixture, readLines } from '../support/deliveries-file.ts';
import { expect, untouched as test } from '../support/fixtures.ts';
import { lookInBothSizes } from '../support/look.ts';
import { fact } from '../support/screens.ts';

// Both tests use the same Waybill, and the second continues where the first ended.
test.describe.configure({ mode: 'serial' });

const path = (page: Page) => decodeURIComponent(new URL(page.url()).pathname + new URL(page.url()).search);

async function signIn(page: Page) {
  await page.getByLabel('Username').fill(admin.username);
  await page.getByLabel('Password', { exact: true }).fill(admin.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Records every value that the named progress bar shows from now on. */
async function recordProgress(page: Page, name: string) {
  await page.evaluate((label) => {
    const seen: number[] = [];
    Object.assign(window, { seenProgress: seen });
    const note = () => {
      const now = document.querySelector(`[role="progressbar"][aria-label="${label}"]`)?.getAttribute('aria-valuenow');
      if (now && Number(now) !== seen.at(-1)) seen.push(Number(now));
    };
    new MutationObserver(note).observe(document.body, { subtree: true, childList: true, attributes: true });
  }, name);
  return () => page.evaluate(() => (window as unknown as { seenProgress: number[] }).seenProgress);
}

test('the first administrator is made, and a session ends with a sign-out', async ({ page }) => {
  await page.goto('/');
  await expect(page).toHaveTitle('Sign in | Waybill');
  expect(path(page)).toBe('/login?redirectTo=/');
  await expect(page.getByText('No account exists yet.')).toBeVisible();
  await page.getByRole('link', { name: 'Create the first administrator' }).click();
  await expect(page).toHaveURL('/auth/create-admin');
  await expect(page.getByLabel('Email')).toBeVisible();

  await test.step('what is wrong is said at the field, by the page and by the server', async () => {
    await page.getByRole('button', { name: 'Create administrator' }).click();
    await expect(page.getByLabel('Username')).toBeFocused();
    await expect(page.getByLabel('Username')).toHaveAccessibleDescription(/Username is required/);
    await page.getByLabel('Username').fill(admin.username);
    await page.getByLabel('Email').fill(admin.email);
    await page.getByLabel('Password', { exact: true }).fill('Password123!');
    await page.getByRole('button', { name: 'Create administrator' }).click();
    await expect(page.getByRole('alert').filter({ hasText: 'Errors prevented this form from being saved' })).toBeVisible();
    await expect(page.getByLabel('Password', { exact: true })).toHaveAccessibleDescription(/too common/);
    await lookInBothSizes(page, 'create-admin');
  });

  await page.getByLabel('Password', { exact: true }).fill(admin.password);
  await page.getByRole('button', { name: 'Create administrator' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
  await expect(page).toHaveURL('/');

  await test.step('an empty list says what to do', async () => {
    await page.goto('/deliveries');
    await expect(page.getByRole('heading', { name: 'No deliveries yet' })).toBeVisible();
    await lookInBothSizes(page, 'deliveries-empty');
    await page.getByRole('main').getByRole('link', { name: 'Import' }).click();
    await expect(page).toHaveURL('/upload-deliveries');
    await expect(page.getByRole('heading', { name: 'No imports yet' })).toBeVisible();
  });

  await page.getByRole('button', { name: 'Logout' }).click();
  await expect(page).toHaveURL('/login');
  await expect(page.getByText('No account exists yet.')).toBeHidden();
});

test('ten thousand deliveries are imported, found, followed and left', async ({ page, quiet }) => {
  test.setTimeout(240_000);
  const lines = readLines('deliveries-10000.csv');
  const [customer, deliveries] = byCustomer(lines)[0]!;

  await test.step('a link to the import screen leads there by way of the sign-in', async () => {
    await page.goto('/upload-deliveries?from=mail');
    await expect(page).toHaveURL(/\/login/);
    expect(new URL(page.url()).search).toBe('?redirectTo=/upload-deliveries%3Ffrom%3Dmail');
    // The client library requires status 400 for a refused sign-in, and a browser always logs this status.
    quiet.expectNoise(/400 \(Bad Request\) \(.*\/auth\)/);
    await page.getByLabel('Username').fill(admin.username);
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.getByRole('alert').filter({ hasText: 'Incorrect username or password' }).first()).toBeVisible();
    await signIn(page);
    await expect(page).toHaveURL('/upload-deliveries?from=mail');
  });

  await test.step('the file is chosen, and its progress is shown until all of it was read', async () => {
    const seen = await recordProgress(page, 'Import progress');
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose file' }).first().click();
    await (await chooser).setFiles(fixture('deliveries-10000.csv'));
    await expect(page).toHaveURL(/\/uploaded-details\/[\w-]+$/);
    await expect(page.getByRole('progressbar', { name: 'Import progress' })).toBeVisible();
    await expect.poll(async () => (await seen()).length, { timeout: 60_000 }).toBeGreaterThan(1);
    await lookInBothSizes(page, 'import-running');
    await expect(page.getByText('Done. All 30,000 rows were read.', { exact: true })).toBeVisible({ timeout: 180_000 });
    const shares = await seen();
    expect(shares, 'progress only ever grows').toEqual(shares.toSorted((a, b) => a - b));
    expect(shares.length).toBeGreaterThan(1);
  });

  await test.step('the result counts every row', async () => {
    await expect(page.getByRole('heading', { name: 'Import deliveries-10000.csv' })).toBeVisible();
    await expect(fact(page, 'Result', 'Rows read')).toHaveText('30,000');
    await expect(fact(page, 'Result', 'Rows created')).toHaveText('30,000');
    await expect(fact(page, 'Result', 'Rows refused')).toHaveText('0');
    await expect(fact(page, 'Details', 'Deliveries created')).toHaveText('10,000');
    await expect(fact(page, 'Details', 'Items created')).toHaveText('30,000');
    await expect(fact(page, 'Details', 'Uploaded by')).toHaveText(admin.username);
  });

  const table = page.getByRole('table', { name: 'Deliveries' });
  const firstColumn = () => table.locator('tbody tr').getByRole('link').allInnerTexts();
  const count = page.getByRole('main').getByRole('status').filter({ hasText: /deliver(y|ies)$/ });

  await test.step('the list opens with what this import made', async () => {
    await page.getByRole('link', { name: 'Show deliveries from this import (10,000)' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Deliveries' })).toBeVisible();
    await expect(page.getByText('1–25 of 10,000')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Change filter: Import is deliveries-10000.csv' })).toBeVisible();
    await page.getByRole('button', { name: /^Remove filter: Import/ }).click();
    await expect(page).toHaveURL('/deliveries');
  });

  await test.step('it is narrowed by customer, with a suggestion, and by status', async () => {
    const editor = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await editor.getByRole('button', { name: 'Customer Name' }).click();
    await editor.getByLabel('Condition').selectOption('is');
    await editor.getByRole('combobox', { name: 'Value' }).fill(customer);
    await editor.getByRole('option', { name: customer, exact: true }).click();
    await editor.getByRole('button', { name: 'Apply' }).click();
    await expect(page.getByText(`of ${deliveries.length}`)).toBeVisible();
    await expect(count).toHaveText(`${deliveries.length} deliveries`);

    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await editor.getByRole('button', { name: 'Delivery Status' }).click();
    await editor.getByRole('checkbox', { name: 'Rejected' }).check();
    await editor.getByRole('button', { name: 'Apply' }).click();
    await expect(page.getByRole('heading', { name: 'No deliveries match' })).toBeVisible();
    await page.getByRole('button', { name: 'Change filter: Delivery Status is Rejected' }).click();
    await editor.getByRole('checkbox', { name: 'Pending' }).check();
    await editor.getByRole('checkbox', { name: 'Rejected' }).uncheck();
    await editor.getByRole('button', { name: 'Apply' }).click();
    await expect(count).toHaveText(`${deliveries.length} deliveries`);
  });

  await test.step('it is sorted by its headers', async () => {
    const header = table.getByRole('columnheader', { name: 'Delivery Doc' });
    await header.getByRole('button').click();
    await expect(header).toHaveAttribute('aria-sort', 'ascending');
    await expect.poll(firstColumn).toEqual(deliveries.slice(0, 25));
    await header.getByRole('button').click();
    await expect(header).toHaveAttribute('aria-sort', 'descending');
    await expect.poll(firstColumn).toEqual(deliveries.toReversed().slice(0, 25));
  });

  await test.step('it is paged, and Back takes the page back', async () => {
    await page.getByRole('button', { name: 'Next page' }).click();
    await expect(page.getByText(`26–${Math.min(50, deliveries.length)} of ${deliveries.length}`)).toBeVisible();
    await expect.poll(firstColumn).toEqual(deliveries.toReversed().slice(25, 50));
    await page.goBack();
    await expect.poll(firstColumn).toEqual(deliveries.toReversed().slice(0, 25));
    await page.goForward();
    await expect.poll(firstColumn).toEqual(deliveries.toReversed().slice(25, 50));
  });

  await test.step('a delivery of it is followed; Back keeps filters, order and page', async () => {
    const address = page.url();
    const id = deliveries.toReversed()[25]!;
    await table.getByRole('link', { name: id }).click();
    await expect(page).toHaveURL(`/view-delivery/${id}`);
    await expectDelivery(page, lines.filter((line) => line['Delivery Doc'] === id));
    await expect(page.getByRole('navigation', { name: 'Deliveries in this list' })).toContainText(`26 of ${deliveries.length}`);
    await page.goBack();
    await expect(page).toHaveURL(address);
    await expect.poll(firstColumn).toEqual(deliveries.toReversed().slice(25, 50));
    await expect(page.getByRole('button', { name: `Change filter: Customer Name is ${customer}` })).toBeVisible();
    await page.reload();
    await expect.poll(firstColumn).toEqual(deliveries.toReversed().slice(25, 50));
  });

  await test.step('the quick search narrows further, and closing it leaves the whole list', async () => {
    const [id = ''] = deliveries;
    await page.keyboard.press('/');
    await expect(page.getByRole('search').getByLabel('Delivery Doc')).toBeFocused();
    await page.keyboard.type(id);
    await page.keyboard.press('Enter');
    await expect(count).toHaveText('1 delivery');
    await expect.poll(firstColumn).toEqual([id]);
    await expect(page.getByRole('button', { name: `Change filter: Customer Name is ${customer}` })).toBeVisible();
    await page.getByRole('button', { name: 'Close search' }).click();
    await expect(count).toHaveText('10,000 deliveries');
    await expect(page).toHaveURL('/deliveries');
  });

  await test.step('the quick search finds one by its number', async () => {
    // This delivery has line breaks in its instructions, and letters beyond ASCII in its customer's name.
    const id = '80100028';
    await page.keyboard.press('/');
    await page.keyboard.type(id);
    await page.keyboard.press('Enter');
    await expect(count).toHaveText('1 delivery');
    await expect.poll(firstColumn).toEqual([id]);
    await table.getByRole('link', { name: id }).click();
    await expectDelivery(page, lines.filter((line) => line['Delivery Doc'] === id));
    await expect(page.getByText('Guard: Mang Toño')).toBeVisible();
  });

  await test.step('after the sign-out nothing of it is left', async () => {
    await page.getByRole('button', { name: 'Logout' }).click();
    await expect(page).toHaveURL('/login');
    await page.goBack();
    await expect(page).toHaveURL(/\/login/);
    await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
    expect(await page.context().cookies()).toEqual([]);
  });
});

async function expectDelivery(page: Page, lines: ReturnType<typeof readLines>) {
  const [first] = lines;
  await expect(page.getByRole('heading', { name: first!['Delivery Doc'], exact: true })).toBeVisible();
  await expect(fact(page, 'Details', 'Customer Name')).toHaveText(first!['Customer Name']);
  await expect(fact(page, 'Details', 'Shipment no.')).toHaveText(first!['Shipment no.']);
  // The file has no time zone, so its times are in the organization's zone, which differs from the browser's.
  const [date = '', time = ''] = first!['Dispatch Date and Time'].split(' ');
  const shown = new Date(`${date}T${time}Z`).toLocaleString('en-US', {
    timeZone: 'UTC',
    month: 'short',
    day: 'numeric',
    year: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
  });
  const at = shown.replace(/, (?=\d+:)/, ' ').replace('\u202f', ' ');
  await expect(fact(page, 'Details', 'Dispatch Date and Time')).toHaveText(at);

  const items = page.getByRole('region', { name: 'Delivery items' }).getByRole('row');
  const numbers = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });
  await expect(items).toHaveCount(lines.length + 1);
  for (const [at, line] of lines.entries()) {
    const row = items.nth(at + 1);
    await expect(row.getByRole('rowheader')).toHaveText(line['Item Number']);
    await expect(row).toContainText(line.Description);
    await expect(row.getByRole('cell').last()).toHaveText(numbers.format(Number(line.Quantity)));
  }
  const timeline = page.getByRole('list', { name: 'Status timeline' }).getByRole('listitem');
  await expect(timeline).toHaveCount(1);
  await expect(timeline).toContainText('Pending');
}
