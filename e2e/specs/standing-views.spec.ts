// A dispatcher's morning: what is due today, what is late, what has no driver, and postponing two deliveries.
import { officeAccount } from '../support/accounts.ts';
import { admin, ask, signIn } from '../support/api.ts';
import { expect, test } from '../support/fixtures.ts';

test.use({ as: 'admin' });

test('the list opens on today, counts what needs somebody, and puts off what cannot go', async ({ page, browser, baseURL }) => {
  const tag = Math.random().toString(36).slice(2, 8).toUpperCase();
  const make = 'mutation($input: CreateDeliveryInput!) { createDelivery(input: $input) { id } }';
  for (const number of [1, 2]) {
    const input = {
      id: `M-${tag}-${number}`,
      shipmentnumber: `S-${tag}`,
      customername: 'Sari-Sari Luzviminda',
      scheduledatetime: new Date(Date.now() - 60_000).toISOString(),
      items: [{ itemNumber: '1', quantity: 1 }],
    };
    await ask(page.context().request, make, { input });
  }

  // In a new browser, the list has never been opened before.
  const context = await browser.newContext({ baseURL: baseURL! });
  await signIn(context.request);
  const own = await context.newPage();
  await own.goto('/deliveries');
  const tabs = own.getByRole('navigation', { name: 'Views' });
  await expect(tabs.getByRole('link', { name: /^Today/ })).toHaveAttribute('aria-current', 'page');
  await expect(own.getByRole('button', { name: 'Change filter: Date Range is in Today' })).toBeVisible();
  await tabs.getByRole('link', { name: /^Unassigned \d/ }).click();
  await expect(own.getByRole('button', { name: 'Change filter: Driver ID is empty' })).toBeVisible();

  // Other tests leave unassigned deliveries of later days behind, so use the Late view, which lists those of
  // this test first.
  await tabs.getByRole('link', { name: /^Late \d/ }).click();
  for (const number of [1, 2]) await own.getByRole('checkbox', { name: `Select M-${tag}-${number}` }).check();
  await own.keyboard.press('d');
  const dialog = own.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Change 2 deliveries' }).click();
  await expect(dialog.getByText('2 done', { exact: true })).toBeVisible();
  await dialog.getByRole('button', { name: 'Close' }).last().click();

  await expect(own.getByRole('button', { name: 'Change filter: Due is in The past' })).toBeVisible();
  await expect(own.getByRole('link', { name: `M-${tag}-1` })).toHaveCount(0);
  await own.goto('/deliveries');
  await expect(tabs.getByRole('link', { name: /^Late/ })).toHaveAttribute('aria-current', 'page');
  await context.close();
});

test('a view is saved, found on another computer, shared by its link and deleted', async ({ page, browser, baseURL }) => {
  const name = `Morning ${Math.random().toString(36).slice(2, 8)}`;
  await page.goto('/deliveries?limit=50');
  const tabs = page.getByRole('navigation', { name: 'Views' });
  await tabs.getByRole('link', { name: /^Unassigned/ }).click();
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('button', { name: 'Pin Customer Name' }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Saved views' }).click();
  await page.getByRole('menuitem', { name: 'Save as a new view' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill(name);
  await page.keyboard.press('Enter');
  await expect(tabs.getByRole('link', { name })).toHaveAttribute('aria-current', 'page');

  // The view also opens for the same person in another browser, and for a person who has only the link.
  const { pathname, search } = new URL(page.url());
  const tag = name.split(' ')[1]!.toLowerCase();
  const viewer = await officeAccount(page.context().request, `viewer.${tag}`, ['viewer']);
  for (const who of [admin, viewer]) {
    const context = await browser.newContext({ baseURL: baseURL! });
    await signIn(context.request, who);
    const other = await context.newPage();
    await other.goto(who === admin ? '/deliveries?limit=50' : pathname + search);
    if (who === admin) await other.getByRole('link', { name }).click();
    await expect(other.getByRole('button', { name: 'Change filter: Driver ID is empty' })).toBeVisible();
    const customer = other.getByRole('columnheader', { name: 'Customer Name' });
    await expect(customer).toHaveAttribute('style', /inset-inline-start/);
    if (who === viewer) await expect(other.getByRole('link', { name })).toHaveCount(0);
    await context.close();
  }

  await page.getByRole('button', { name: 'Saved views' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await expect(tabs.getByRole('link', { name })).toHaveCount(0);
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(tabs.getByRole('link', { name })).toBeVisible();
});
