// Deliveries from their creation to the printed proof of delivery, as the office sees them.
import type { Page } from '@playwright/test';
import { ask, signIn } from '../support/api.ts';
import { filterOf, toAddress } from '../support/filters.ts';
import { expect, test } from '../support/fixtures.ts';
import { look, lookInBothSizes } from '../support/look.ts';
import { fact } from '../support/screens.ts';

test.use({ as: 'admin' });

const tag = () => Math.random().toString(36).slice(2, 8).toUpperCase();
const view = (id: string) => `/view-delivery/${encodeURIComponent(id)}`;

/** Creates a delivery with two items, of quantity 10 and 4. */
async function made(page: Page, id: string, more: object = {}) {
  const input = {
    id,
    shipmentnumber: `S-${id}`,
    customername: 'Sari-Sari Luzviminda',
    customeraddress: '14 Mabini Street, Marikina',
    trucker: 'Amihan Haulers',
    scheduledatetime: '2026-11-20T01:30:00Z',
    items: [
      { itemNumber: '1', description: 'Jasmine rice 25 kg', unit: 'bag', quantity: 10 },
      { itemNumber: '2', description: 'Coconut oil 1 l', unit: 'box', quantity: 4 },
    ],
    ...more,
  };
  const query = 'mutation($input: CreateDeliveryInput!) { createDelivery(input: $input) { id version } }';
  return (await ask(page.context().request, query, { input })).createDelivery;
}

async function record(page: Page, input: object) {
  const query = 'mutation($input: RecordOutcomeInput!) { recordOutcome(input: $input) { id version } }';
  const event = { clientEventId: crypto.randomUUID(), ...input };
  return (await ask(page.context().request, query, { input: event })).recordOutcome;
}

/** Starts an action on the open delivery, whether it is offered as a button or in the menu. */
async function action(page: Page, name: string) {
  const inSight = page.getByRole('main').getByRole('link', { name, exact: true }).or(page.getByRole('main').getByRole('button', { name, exact: true }));
  const menu = page.getByRole('button', { name: 'More actions' });
  const item = page.getByRole('menuitem', { name, exact: true });
  // The offered actions change with the delivery, even while the page is open.
  await expect(async () => {
    if ((await inSight.count()) > 0) return inSight.first().click({ timeout: 1_000 });
    if (!(await item.isVisible())) await menu.click({ timeout: 1_000 });
    await item.click({ timeout: 1_000 });
  }).toPass();
}

const timeline = (page: Page) => page.getByRole('list', { name: 'Status timeline' }).getByRole('listitem');

test('is created with its items, and found again after a reload half way', async ({ page }) => {
  const id = `N-${tag()}/1 50%`;
  await page.goto('/new-deliveries');
  await page.getByRole('button', { name: 'Create delivery' }).click();
  await expect(page.getByText('Delivery Doc is required').first()).toBeVisible();
  await lookInBothSizes(page, 'delivery-new');
  await page.getByLabel('Delivery Doc').fill(id);
  await page.getByLabel('Shipment no.').fill('S-77');
  await page.getByLabel('Customer Name').fill('Panaderia Dalisay');
  await page.getByRole('group', { name: 'Dispatch Date', exact: true }).getByLabel('Month').fill('11');
  await page.keyboard.type('242026');
  await page.getByLabel('Dispatch Time').fill('09:30');
  await page.getByRole('link', { name: 'Add item' }).click();
  await expect(page).toHaveURL('/new-deliveries/add-delivery-item');
  await lookInBothSizes(page, 'delivery-item-new');
  await page.getByLabel('Item', { exact: true }).fill('1');
  await page.getByLabel('Description').fill('Pandesal flour 50 kg');
  await page.getByLabel('Expected').fill('12.5');
  await page.getByRole('button', { name: 'Add item' }).click();
  await expect(page).toHaveURL('/new-deliveries');
  await page.reload();
  await expect(page.getByText('This is the draft you started in this tab.')).toBeVisible();
  await expect(page.getByLabel('Delivery Doc')).toHaveValue(id);
  await page.getByRole('button', { name: 'Create delivery' }).click();
  await expect(page.getByText(`${id} created`)).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`/view-delivery/${encodeURIComponent(id).replaceAll('.', '\\.')}$`));
  await expect(page.getByRole('heading', { name: id, exact: true })).toBeVisible();
  await expect(page.getByText('Nov 24, 2026 9:30 AM').first()).toBeVisible();
  await expect(page.getByText('Pandesal flour 50 kg')).toBeVisible();

  await page.getByRole('region', { name: 'Delivery items' }).getByRole('link').first().click();
  await expect(page).toHaveURL(/\/view-delivery-item\/.*\/1$/);
  await page.getByRole('link', { name: 'Edit item' }).waitFor();
  await lookInBothSizes(page, 'delivery-item');
  await page.getByRole('link', { name: 'Edit item' }).click();
  await expect(page.getByLabel('Description')).toHaveValue('Pandesal flour 50 kg');
  await lookInBothSizes(page, 'delivery-item-edit');
});

test('is edited by two people, and neither loses what they typed', async ({ page, browser, baseURL }) => {
  const { id } = await made(page, `E-${tag()}`);
  await page.goto(`/edit-delivery/${id}`);
  await page.getByLabel('Internal note').fill('Gate code 4411');
  await lookInBothSizes(page, 'delivery-edit');
  const context = await browser.newContext({ baseURL: baseURL! });
  await signIn(context.request);
  const other = await context.newPage();
  await other.goto(`/edit-delivery/${id}`);
  await other.getByLabel('Reference Doc').fill('INV-9');
  await other.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(other.getByText(`${id} saved`)).toBeVisible();

  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'Reload and keep my entries' }).first().click();
  await expect(page.getByLabel('Internal note')).toHaveValue('Gate code 4411');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText(`${id} saved`)).toBeVisible();
  await page.goto(view(id));
  await expect(page.getByText('INV-9').first()).toBeVisible();
  await expect(page.getByText('Gate code 4411').first()).toBeVisible();
  await context.close();
});

test('is completed with a variance, seen live elsewhere, corrected and printed', async ({ page, browser, baseURL }) => {
  const { id } = await made(page, `V-${tag()}`);
  const context = await browser.newContext({ baseURL: baseURL! });
  await signIn(context.request);
  const other = await context.newPage();
  const heard = other.waitForEvent('websocket');
  await other.goto(view(id));
  await expect(other.getByText('Pending').first()).toBeVisible();
  await heard;

  await page.goto(view(id));
  await action(page, 'Complete');
  await page.getByLabel('Delivered of item 1').fill('8');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText(/Reason.* is required/).first()).toBeVisible();
  await page.getByLabel('Reason of item 1').selectOption({ label: 'Damaged in transit' });
  await page.getByLabel('Received by').fill('Luz Dimaculangan');
  await page.getByLabel('Relationship').selectOption({ label: 'Recipient' });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('Photo is required').first()).toBeVisible();
  await lookInBothSizes(page, 'delivery-complete');
  const photo = { name: 'bags.png', mimeType: 'image/png', buffer: await page.screenshot() };
  await page.locator('input[type=file][multiple]').setInputFiles(photo);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page).toHaveURL(view(id));
  await expect(page.getByText('Complete with variance').first()).toBeVisible();
  // The page polls nothing, so it learned of this by its subscription.
  await expect(other.getByText('Complete with variance').first()).toBeVisible();
  await expect(page.getByText('Damaged in transit').first()).toBeVisible();
  await expect(timeline(page)).toHaveCount(2);

  await action(page, 'Correct items');
  await page.getByLabel('Delivered of item 1').fill('10');
  await page.getByLabel('Reason for the correction').fill('Two bags were found on the truck');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page).toHaveURL(view(id));
  await expect(page.getByText('Complete no variance').first()).toBeVisible();
  await expect(timeline(page)).toHaveCount(3);

  await action(page, 'Delivery form');
  await expect(page).toHaveURL(new RegExp(`/forms/${id}`));
  await expect(page.getByText('Luz Dimaculangan').first()).toBeVisible();
  await expect(page.getByText(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/).first()).toBeVisible();
  await lookInBothSizes(page, 'delivery-form');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: /PDF/ }).click();
  expect((await download).suggestedFilename()).toMatch(/\.pdf$/);
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByRole('navigation').first()).toBeHidden();
  await context.close();
});

test('is not met, planned again, refused and reopened', async ({ page }) => {
  const { id } = await made(page, `R-${tag()}`);
  await page.goto(view(id));
  await action(page, 'Mark undelivered');
  await page.getByLabel('Reason', { exact: true }).selectOption({ label: 'Recipient absent' });
  await page.getByLabel(/^Note/).fill('Nobody answered the bell');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page).toHaveURL(view(id));
  await expect(page.getByText('Undelivered').first()).toBeVisible();
  await action(page, 'Reschedule');
  const dialog = page.getByRole('dialog');
  const nextYear = new Date().getFullYear() + 1;
  await dialog.getByLabel('Month').fill('12');
  await dialog.getByLabel('Day').fill('01');
  await dialog.getByLabel('Year').fill(String(nextYear));
  await dialog.getByLabel('Time').fill('08:00');
  await dialog.getByRole('button', { name: 'Reschedule' }).click();
  await expect(page.getByText(`${id} rescheduled`)).toBeVisible();
  await expect(page.getByText(`Dec 1, ${nextYear} 8:00 AM`).first()).toBeVisible();
  await action(page, 'Reject');
  await page.getByLabel('Reason', { exact: true }).selectOption({ label: 'Refused: not ordered' });
  await page.getByLabel('Received by').fill('Luz Dimaculangan');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page).toHaveURL(view(id));
  await expect(page.getByText('Rejected').first()).toBeVisible();
  await action(page, 'Reopen');
  await page.getByRole('dialog').getByLabel(/Reason/).fill('They called back and want it after all');
  await page.getByRole('dialog').getByRole('button', { name: 'Reopen' }).click();
  await expect(page.getByText(`${id} is Pending again`)).toBeVisible();
  // The timeline shows the current attempt only. The previous attempt has its own tab.
  await expect(timeline(page)).toHaveCount(3);
});

test('many are planned again at once, with a result for each', async ({ page }) => {
  const name = tag();
  for (const [number, undelivered] of [[1, true], [2, true], [3, false]] as const) {
    const { id } = await made(page, `B-${name}-${number}`);
    if (!undelivered) continue;
    await record(page, { deliveryId: id, status: 'Undelivered', outcomeReason: 'site_closed', outcomeNote: 'Shut' });
  }
  const filters = toAddress(filterOf('id', 'contains', name));
  await page.goto(`/deliveries?${new URLSearchParams({ filters })}`);
  await expect(page.getByText(/^1–3 of 3$/)).toBeVisible();
  await page.getByRole('checkbox', { name: 'Select all rows' }).or(page.locator('thead').getByRole('checkbox')).first().check();
  // The third delivery is still pending.
  await page.getByRole('button', { name: 'Reschedule 2 of 3' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByLabel('Month')).toBeFocused();
  await ask(
    page.request,
    'mutation ($input: RescheduleDeliveriesInput!) { rescheduleDeliveries(input: $input) { deliveryId } }',
    {
      input: {
        deliveryIds: [`B-${name}-2`],
        scheduledatetime: new Date(Date.now() + 86_400_000).toISOString(),
        clientEventId: crypto.randomUUID(),
      },
    },
  );
  await dialog.getByRole('button', { name: /^Reschedule/ }).click();
  await expect(dialog.getByRole('status')).toContainText('1 done, 1 failed');
  await expect(dialog.getByRole('list', { name: 'Failed' }).getByText(`B-${name}-2`, { exact: true })).toBeVisible();
  await look(page, 'deliveries-bulk-result', 'desktop', '[role=dialog]');
});

test('the list is exported, and the export changes nothing when it comes back', async ({ page }) => {
  const name = tag();
  await made(page, `X-${name}`, { customername: '=SUM(A1)' });
  // Nobody can answer the dialog that asks where to save the file, so remove the function that opens it.
  await page.addInitScript(() => Reflect.deleteProperty(window, 'showSaveFilePicker'));
  const filters = toAddress(filterOf('id', 'contains', name));
  await page.goto(`/deliveries?${new URLSearchParams({ filters })}`);
  await page.getByRole('button', { name: 'Export' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: /CSV/ }).click();
  const path = await (await download).path();
  await page.goto('/upload-deliveries');
  await expect(page.getByRole('button', { name: 'Choose file' }).first()).toBeEnabled();
  await page.locator('input[type=file]').setInputFiles({ name: 'again.csv', mimeType: 'text/csv', buffer: (await import('node:fs')).readFileSync(path) });
  await expect(page).toHaveURL(/uploaded-details/);
  const query = 'query($id: String!) { delivery(id: $id) { version customername } }';
  await expect(fact(page, 'Result', 'Rows skipped')).toHaveText('2');
  const { delivery } = await ask(page.context().request, query, { id: `X-${name}` });
  expect(delivery).toEqual({ version: 1, customername: '=SUM(A1)' });
});

test('customers, sources, history and forms can be used by somebody who never saw them', async ({ page }) => {
  const { id } = await made(page, `C-${tag()}`, { customername: 'A/B 100% Tindahan' });
  await record(page, { deliveryId: id, status: 'Complete_No_Variance', receivedBy: 'Ana' });
  await page.goto('/customers');
  await expect(page.getByText('A/B 100% Tindahan').first()).toBeVisible();
  await lookInBothSizes(page, 'customers');
  await page.getByRole('link', { name: 'A/B 100% Tindahan' }).first().click();
  await expect(page).toHaveURL('/customer/A%2FB%20100%25%20Tindahan');
  await lookInBothSizes(page, 'customer');
  await page.getByRole('link', { name: 'Edit' }).first().click();
  await page.getByLabel('Customer Email').fill('orders@tindahan.example');
  await lookInBothSizes(page, 'customer-edit');
  await page.getByRole('button', { name: /^Save/ }).click();
  await expect(page.getByText('orders@tindahan.example').first()).toBeVisible();

  await page.goto('/new-source');
  const source = `Warehouse ${tag()}`;
  await page.getByLabel('Name').first().fill(source);
  await lookInBothSizes(page, 'source-new');
  await page.getByRole('button', { name: /^(Create|Save)/ }).click();
  await expect(page.getByRole('heading', { name: source, exact: true })).toBeVisible();
  await lookInBothSizes(page, 'source');
  await page.getByRole('link', { name: 'Edit' }).first().click();
  await expect(page.getByLabel('Name').first()).toHaveValue(source);
  await lookInBothSizes(page, 'source-edit');
  await page.goto('/sources');
  await expect(page.getByText(source)).toBeVisible();
  await lookInBothSizes(page, 'sources');
  await page.goto('/delivery-status-histories');
  await expect(page.getByText(id).first()).toBeVisible();
  await lookInBothSizes(page, 'status-histories');
  await page.goto('/forms');
  await expect(page.getByText(/^1–\d+ of [\d,]+$/)).toBeVisible();
  await lookInBothSizes(page, 'forms');
});
