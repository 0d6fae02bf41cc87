// Drivers, their access and their devices, from the form for a new driver to the first position.
import type { Page } from '@playwright/test';
import { driverAccount, resetLink } from '../support/accounts.ts';
import { ask, signIn } from '../support/api.ts';
import { expect, test } from '../support/fixtures.ts';
import { look, lookInBothSizes } from '../support/look.ts';
import { fact } from '../support/screens.ts';

test.use({ as: 'admin' });

const tag = () => Math.random().toString(36).slice(2, 8);
const view = (driverId: string) => `/drivers/${encodeURIComponent(driverId)}`;

/** Sends one position as a device does with the OsmAnd protocol. Returns the status. */
async function send(deviceId: string, lat: number, lon: number): Promise<number> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const point = { id: deviceId, lat: String(lat), lon: String(lon), timestamp, speed: '10', batt: '64' };
  const answer = await fetch(`${process.env.WAYBILL_INGEST}/?${new URLSearchParams(point)}`);
  return answer.status;
}

async function made(page: Page, name: string): Promise<{ driverId: string; username: string }> {
  const input = { driverId: `D-${name}/1 50%`, name: `Nestor ${name}`, username: `nestor-${name}` };
  const query = 'mutation($input: CreateDriverInput!) { createDriver(input: $input) { driverId username } }';
  return (await ask(page.context().request, query, { input })).createDriver;
}

const pairing = (page: Page) => page.getByRole('dialog', { name: 'Pair devices' });

async function pair(page: Page, deviceId: string, name: string) {
  await page.getByRole('button', { name: 'Pair a device' }).click();
  const card = pairing(page).getByRole('listitem', { name: deviceId });
  await expect(card, 'an unknown device shows up without a reload').toBeVisible();
  const open = card.getByRole('button', { name: `Pair ${deviceId}` });
  if ((await open.count()) > 0) await open.click();
  await card.getByRole('combobox', { name: 'Driver' }).fill(name);
  await card.getByRole('option', { name: new RegExp(name) }).click();
  await card.getByRole('button', { name: 'Pair', exact: true }).click();
  await expect(page.getByText(`${deviceId} paired with ${name}`)).toBeVisible();
}

test('a driver is made, gets a PIN, and is found again', async ({ page }) => {
  const name = tag();
  const id = `D-${name}/1 50%`;
  await page.goto('/drivers');
  await page.getByRole('link', { name: 'New driver' }).first().click();
  await page.getByRole('button', { name: 'Create driver' }).click();
  await expect(page.getByText('Driver ID is required').first()).toBeVisible();
  await lookInBothSizes(page, 'driver-new');
  await page.getByLabel('Driver ID').fill(id);
  await page.getByLabel('Name', { exact: true }).fill(`Nestor ${name}`);
  await page.getByLabel('Username').fill(`nestor-${name}`);
  await page.getByLabel(/^Phone/).fill('+63 917 555 0101');
  await page.getByRole('button', { name: 'Create driver' }).click();
  await expect(page).toHaveURL(view(id));
  await expect(page.getByText('This driver has no PIN yet')).toBeVisible();
  await expect(fact(page, 'Details', 'Driver ID')).toHaveText(id);

  await page.getByRole('main').getByRole('link', { name: 'Drivers Reset Password' }).click();
  await expect(page.getByRole('row', { name: new RegExp(`nestor-${name}`) })).toContainText('No PIN yet');

  await page.goto('/drivers');
  await page.getByRole('search').getByLabel('Driver name').fill(name);
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^1–1 of 1$/)).toBeVisible();
  await page.getByRole('link', { name: id }).click();
  await page.getByRole('link', { name: 'Edit' }).click();
  await page.getByLabel(/^Vehicle plate/).fill('NBC 1234');
  await page.getByRole('group', { name: /^License expiry/ }).getByLabel('Month').fill('03');
  await page.keyboard.type('312028');
  await lookInBothSizes(page, 'driver-edit');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText(`Nestor ${name} saved`)).toBeVisible();
  await expect(fact(page, 'Details', 'License expiry')).toHaveText('Mar 31, 2028');
});

test('two people who edit one driver do not overwrite each other', async ({ page, browser, baseURL }) => {
  const { driverId } = await made(page, tag());
  await page.goto(`${view(driverId)}/edit`);
  await page.getByLabel(/^Phone/).fill('+63 917 555 0101');
  const context = await browser.newContext({ baseURL: baseURL! });
  await signIn(context.request);
  const other = await context.newPage();
  await other.goto(`${view(driverId)}/edit`);
  await other.getByLabel(/^Trucker/).fill('Amihan Haulers');
  await other.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(other).toHaveURL(view(driverId));
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText(/changed this on/)).toBeVisible();
  await page.getByRole('button', { name: 'Reload' }).click();
  await expect(page.getByLabel(/^Trucker/)).toHaveValue('Amihan Haulers');
  await context.close();
});

test('an unknown device is paired, and its driver is seen from then on', async ({ page }) => {
  const name = tag();
  const device = `phone-${name}`;
  const { driverId } = await made(page, name);
  await page.goto('/drivers');
  await expect(page.getByRole('button', { name: 'Pair a device' })).toBeVisible();
  expect(await send(device, 14.559, 121.02), 'it belongs to nobody').toBe(404);
  await page.getByRole('button', { name: 'Pair a device' }).click();
  await expect(pairing(page).getByRole('listitem', { name: device })).toContainText('14.55900, 121.02000');
  await lookInBothSizes(page, 'drivers-pairing', '[role=dialog]');
  await pairing(page).getByRole('button', { name: 'Close' }).click();
  await pair(page, device, `Nestor ${name}`);

  expect(await send(device, 14.56, 121.021)).toBe(200);
  await page.goto(view(driverId));
  const position = page.getByRole('region', { name: 'Last position' });
  await expect(position).toContainText('14.56000, 121.02100');
  await expect(position).toContainText('Online');
  await expect(position).toContainText('19 km/h');
  await expect(page.getByRole('region', { name: 'Devices' })).toContainText(device);
  await lookInBothSizes(page, 'driver');

  await page.getByRole('button', { name: `Unpair ${device}` }).click();
  await page.getByRole('button', { name: 'Unpair device' }).click();
  await expect(page.getByText('No device is paired with this driver.')).toBeVisible();
  // Its time is in whole seconds, and a position from before the end of the pairing still belongs to the driver.
  await expect.poll(() => send(device, 14.561, 121.022)).toBe(404);
});

test('a blocked driver is out at once, and what they had is found', async ({ page, playwright }) => {
  const name = tag();
  const device = `phone-${name}`;
  const { driverId, username } = await made(page, name);
  const { request } = page.context();
  // An event creates the account, which takes a moment.
  const accounts = 'query($where: [Filter!]) { driverAccounts(page: { where: $where }) { id } }';
  const where = [{ key: 'username', operator: 'equals', values: [username] }];
  const account = async () => (await ask(request, accounts, { where })).driverAccounts[0]?.id;
  await expect.poll(account).toBeTruthy();
  const path = await resetLink(request, await account());
  const resetToken = new URL(path, 'http://waybill').searchParams.get('resetToken');
  const set = await request.post('/auth', { data: { method: 'resetPassword', resetToken, password: '480159' } });
  expect(set.ok()).toBe(true);
  const pairs = 'mutation($input: PairDeviceInput!) { pairDevice(input: $input) { driverId } }';
  await send(device, 14.559, 121.02);
  await ask(request, pairs, { input: { uniqueId: device, driverId } });
  const input = {
    id: `K-${name}`,
    shipmentnumber: `S-${name}`,
    customername: 'Sari-Sari Luzviminda',
    customeraddress: '14 Mabini Street, Marikina',
    trucker: 'Amihan Haulers',
    scheduledatetime: new Date().toISOString(),
    driverId,
    items: [{ itemNumber: '1', description: 'Jasmine rice 25 kg', unit: 'bag', quantity: 10 }],
  };
  await ask(request, 'mutation($input: CreateDeliveryInput!) { createDelivery(input: $input) { id } }', { input });

  await page.goto('/drivers');
  await page.getByRole('search').getByLabel('Driver name').fill(name);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: `Actions for Nestor ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Block' }).click();
  const question = page.getByRole('alertdialog', { name: `Block Nestor ${name}?` });
  await expect(question.getByRole('link', { name: 'Show 1 open delivery' })).toBeVisible();
  await lookInBothSizes(page, 'driver-block', '[role=alertdialog]');
  await question.getByRole('button', { name: 'Block driver' }).click();
  await expect(page.getByText(`Nestor ${name} blocked`)).toBeVisible();
  await expect(page.getByRole('row', { name: new RegExp(name) })).toContainText('Blocked');

  await expect.poll(() => send(device, 14.56, 121.021), 'positions are refused').toBe(403);
  const driver = await playwright.request.newContext({ baseURL: process.env.WAYBILL_URL! });
  const login = () => driver.post('/auth', { data: { method: 'login', username, password: '480159' } });
  await expect.poll(async () => (await login()).ok(), 'and so is the sign-in').toBe(false);
  await driver.dispose();

  // A blocked driver cannot be chosen for a delivery.
  await page.goto(view(driverId));
  await expect(page.getByRole('region', { name: 'Access' })).toContainText('Blocked');
  await page.getByRole('region', { name: 'Access' }).getByRole('link', { name: 'Show 1 open delivery' }).click();
  await expect(page.getByText(/^1–1 of 1$/)).toBeVisible();
  await page.getByRole('checkbox', { name: `Select K-${name}` }).check();
  await page.getByRole('button', { name: 'Assign driver' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'Driver ID' }).fill(name);
  await expect(dialog.getByText('Nothing found')).toBeVisible();
  await look(page, 'deliveries-assign', 'desktop', '[role=dialog]');
  await page.keyboard.press('Escape');

  await page.goto(view(driverId));
  await page.getByRole('button', { name: 'Unblock' }).click();
  await page.getByRole('button', { name: 'Unblock driver' }).click();
  await expect(page.getByText(`Nestor ${name} unblocked`)).toBeVisible();
  await expect.poll(() => send(device, 14.56, 121.021)).toBe(200);

  await page.goto(view(driverId));
  await page.getByRole('link', { name: 'Show the driver log' }).click();
  await expect(page.getByRole('row', { name: /Unblocked/ })).toBeVisible();
  await expect(page.getByRole('row', { name: /Delivery assigned/ })).toContainText(`K-${name}`);
  await lookInBothSizes(page, 'driver-logs');
  await page.getByRole('row', { name: /Blocked/ }).getByRole('link').first().click();
  await expect(page.getByRole('heading', { level: 2, name: 'Blocked' })).toBeVisible();
  await expect(page.getByRole('table', { name: 'Detail' })).toBeVisible();
  await lookInBothSizes(page, 'driver-log-entry');
});

test('deliveries are given to drivers by name', async ({ page }) => {
  const name = tag();
  const { driverId } = await made(page, name);
  await page.goto('/deliveries');
  await expect(page.getByText(/^1–25 of [\d,]+$/)).toBeVisible();
  const row = page.getByRole('row').nth(1);
  const doc = (await row.getByRole('link').first().textContent())!;
  await row.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Assign driver' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'Driver ID' }).fill(name);
  await dialog.getByRole('option', { name: `Nestor ${name} (${driverId})` }).click();
  await dialog.getByRole('button', { name: 'Assign 1 delivery' }).click();
  await expect(dialog.getByText('1 done', { exact: true })).toBeVisible();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await page.goto(`/view-delivery/${encodeURIComponent(doc)}`);
  await page.getByRole('main').getByRole('link', { name: driverId }).click();
  await expect(page).toHaveURL(view(driverId));
});

test('drivers can be looked at by somebody who never saw them', async ({ page }) => {
  await made(page, tag());
  await driverAccount(page.context().request);
  await page.goto('/drivers');
  await expect(page.getByText(/^1–\d+ of [\d,]+$/)).toBeVisible();
  await lookInBothSizes(page, 'drivers');
});
