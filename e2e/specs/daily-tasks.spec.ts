// Ten tasks that an office does every day, with the keyboard alone and starting from the list of deliveries.
// Counts the keys of each task for the table in docs/keyboard.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { APIRequestContext, Locator, Page } from '@playwright/test';
import { driverAccount } from '../support/accounts.ts';
import { ask, importFile } from '../support/api.ts';
import { expect, test } from '../support/fixtures.ts';
import { withoutWebgl } from '../support/screens.ts';

// These tests have their own Waybill: announcements and deliveries of other files would add Tab stops.
test.use({ as: 'admin', apart: 'daily tasks' });

const DOC = fileURLToPath(new URL('../../docs/keyboard.md', import.meta.url));
const ZONE = 'Asia/Manila';
const DAY_MS = 86_400_000;

/** Presses keys and counts them. Keys pressed together count as one; typed letters are counted separately. */
class Keys {
  pressed = 0;
  typed = 0;
  constructor(private readonly page: Page) {}

  async press(key: string, times = 1) {
    for (let time = 0; time < times; time += 1) {
      this.pressed += 1;
      await this.page.keyboard.press(key);
    }
  }

  async type(text: string) {
    this.typed += text.length;
    await this.page.keyboard.type(text);
  }

  /** Presses the key until the target has the focus. */
  async reach(target: Locator, key = 'Tab') {
    await expect(target).toBeVisible();
    for (let presses = 0; presses < 60; presses += 1) {
      if (await target.evaluate((element) => element === document.activeElement)) return;
      await this.press(key);
    }
    throw new Error(`${target} is out of reach`);
  }

  async use(target: Locator, key = 'Enter') {
    await this.reach(target);
    await this.press(key);
  }

  async fill(target: Locator, text: string) {
    await this.reach(target);
    await this.type(text);
  }
}

const today = (shift = 0) => new Intl.DateTimeFormat('en-CA', { timeZone: ZONE }).format(Date.now() + shift * DAY_MS);
const CREATE = 'mutation($input: CreateDeliveryInput!) { createDelivery(input: $input) { id version } }';
const RECORD = 'mutation($input: RecordOutcomeInput!) { recordOutcome(input: $input) { id version } }';

async function made(request: APIRequestContext, id: string, more: object = {}) {
  const input = {
    id,
    shipmentnumber: 'S-1',
    customername: 'Quintessa Store',
    customeraddress: '14 Mabini Street, Marikina',
    trucker: 'Amihan Haulers',
    scheduledatetime: `${today(-1)}T02:00:00Z`,
    items: [{ itemNumber: '1', description: 'Jasmine rice 25 kg', unit: 'bag', quantity: 10 }],
    ...more,
  };
  await ask(request, CREATE, { input });
}

async function record(request: APIRequestContext, deliveryId: string, outcome: object) {
  await ask(request, RECORD, { input: { clientEventId: crypto.randomUUID(), deliveryId, ...outcome } });
}

/** Imports a file of deliveries that are due today and have no driver. */
async function imported(request: APIRequestContext, prefix: string, count: number) {
  const rows = Array.from({ length: count }, (_, at) =>
    [`${prefix}-${at + 100}`, `S-${prefix}`, 'Sari-Sari Luzviminda', 'Amihan Haulers', `${today()} 23:30`, '1', '5'].join(','),
  );
  const head = 'Delivery Doc,Shipment no.,Customer Name,Trucker,Dispatch Date and Time,Item Number,Quantity';
  const id = await importFile(request, `${prefix}.csv`, Buffer.from([head, ...rows].join('\n')));
  const query = 'query($id: String!) { uploadLog(id: $id) { status } }';
  await expect.poll(async () => (await ask(request, query, { id })).uploadLog.status).toBe('imported');
}

/** Creates a conflict: a driver's late outcome contradicts the one that the office recorded. */
async function conflicting(request: APIRequestContext, deliveryId: string) {
  const account = await driverAccount(request);
  const where = [{ key: 'username', operator: 'equals', values: [account.username] }];
  const { drivers } = await ask(request, 'query($page: PageOptions) { drivers(page: $page) { driverId } }', { page: { where } });
  await made(request, deliveryId, { driverId: drivers[0].driverId });
  const occurredAt = new Date().toISOString();
  await record(request, deliveryId, { status: 'Undelivered', outcomeReason: 'site_closed', outcomeNote: 'Shut' });
  const login = await request.post('/driver/v1/login', { data: { username: account.username, pin: account.password } });
  const { accessToken } = await login.json();
  const outcome = { clientEventId: crypto.randomUUID(), status: 'Rejected', attempt: 1, reason: 'refused_not_ordered', receivedBy: 'Luz', occurredAt };
  const sent = await request.post(`/driver/v1/deliveries/${deliveryId}/outcome`, {
    data: outcome,
    headers: { authorization: `Bearer ${accessToken}` },
  });
  if (!sent.ok()) throw new Error(`the outcome was not taken: ${await sent.text()}`);
}

async function send(deviceId: string, minutesAgo: number, lat: number) {
  const timestamp = String(Math.floor((Date.now() - minutesAgo * 60_000) / 1000));
  const point = new URLSearchParams({ id: deviceId, lat: String(lat), lon: '121.02', timestamp, speed: '10', batt: '64' });
  return (await fetch(`${process.env.WAYBILL_INGEST}/?${point}`)).status;
}

const driver = (request: APIRequestContext, input: object) =>
  ask(request, 'mutation($input: CreateDriverInput!) { createDriver(input: $input) { driverId } }', { input });

/** Creates a driver who has been driving for an hour and has no deliveries. */
async function driving(request: APIRequestContext) {
  await driver(request, { driverId: 'DRV-900', name: 'Zosimo Yap', username: 'zosimo' });
  await send('phone-900', 61, 14.5);
  const pair = { uniqueId: 'phone-900', driverId: 'DRV-900' };
  await ask(request, 'mutation($input: PairDeviceInput!) { pairDevice(input: $input) { driverId } }', { input: pair });
  for (let minute = 60; minute >= 0; minute -= 5) expect(await send('phone-900', minute, 14.56 - minute / 1000)).toBe(200);
}

interface Task {
  name: string;
  pressed: number;
  typed: number;
}

const PAGE = `# The keyboard

Everything can be done without a mouse. Tab and Enter lead everywhere; these keys are shorter.

| Where | Key | What it does |
|---|---|---|
| everywhere | Ctrl K | command palette: pages, deliveries, customers and drivers by any part of their names |
| everywhere | / | quick search of the list |
| everywhere | F8 | the button of a message, such as Undo; again or Esc goes back |
| lists | j, k | next and previous row; Enter opens it, e edits it |
| lists, with a row open beside them | j, k | open the next and the previous row |
| lists | x | select the row; with Shift, all rows since the last one |
| lists | * | select the page; press again to select everything that matches |
| lists | a, d, r | with deliveries selected: assign, change the dispatch time, reschedule |
| lists | f | add a filter |
| lists | [, ] | previous and next page |
| lists | ? | the keys of the list, with a switch that turns single keys off |
| rows of an import | arrows | next cell; with Ctrl, the last one in that direction |
| rows of an import | PageUp, PageDown | a page of rows up and down |
| rows of an import | Home, End | first and last cell of the row; with Ctrl, of all rows |
| rows of an import | any character | replaces the cell; Enter or F2 edits it, Delete empties it |
| rows of an import, in a cell | Enter, Tab, Esc | save and go down, save and go right (with Shift, up and left), leave the cell unchanged |
| rows of an import | Ctrl C, Ctrl V | copy the cell; paste cells of a spreadsheet |
| delivery | c | complete; when it is completed, correct the lines |
| delivery | e, p | edit; delivery form |
| delivery | r | mark a driver's late update as reviewed |
| delivery form | p | print |
| driver's day | p | play and pause the replay |

## Ten daily tasks

Each begins on the list of deliveries, as it opens, and ends when the screen says that it is done. Keys held together count as one. Letters
and digits that are typed count apart. What the computer's own dialogs for files and printing need is not counted.

| Task | Keys | Typed |
|---|---|---|
ROWS

\`e2e/specs/daily-tasks.spec.ts\` does them and fails when a count differs; \`WAYBILL_WRITE_KEYS=1 scripts/e2e.sh specs/daily-tasks.spec.ts\`
writes this page.
`;

const pageOf = (tasks: readonly Task[]) =>
  PAGE.replace('ROWS', tasks.map(({ name, pressed, typed }) => `| ${name} | ${pressed} | ${typed} |`).join('\n'));

test('ten daily tasks are done by keys alone, by as many as docs/keyboard.md says', async ({ page }) => {
  test.setTimeout(180_000);
  await withoutWebgl(page);
  await page.addInitScript(() => {
    window.print = () => document.documentElement.setAttribute('data-printed', '');
  });
  const { request } = page.context();
  const main = page.getByRole('main');
  const dialog = page.getByRole('dialog');
  const palette = page.getByRole('dialog', { name: 'Command palette' });
  const rows = page.getByRole('table', { name: 'Deliveries' }).locator('tbody').getByRole('link');
  const drivers = page.getByRole('list', { name: 'Drivers on the map' }).getByRole('button');
  const count = (found: number) => page.getByRole('status').filter({ hasText: new RegExp(`^${found} deliveries$`) });
  const tasks: Task[] = [];

  async function task(name: string, run: (keys: Keys) => Promise<void>) {
    await test.step(name, async () => {
      await page.goto('/deliveries');
      await expect(rows.first()).toBeVisible();
      // Wait for the bell, which loads after the page, because it is one of the Tab stops.
      await expect(page.getByRole('button', { name: /announcement/i }).first()).toBeVisible();
      const keys = new Keys(page);
      await run(keys);
      tasks.push({ name, pressed: keys.pressed, typed: keys.typed });
    });
  }

  /** Opens a delivery by its number, from any page. */
  async function open(keys: Keys, id: string) {
    await keys.press('Control+k');
    await expect(palette.getByRole('combobox')).toBeFocused();
    await keys.type(id);
    await expect(palette.getByRole('option', { name: new RegExp(`^${id} `) })).toBeVisible();
    await expect(palette.getByRole('option', { selected: true })).toContainText(id);
    await keys.press('Enter');
    await expect(page.getByRole('heading', { name: id, exact: true })).toBeVisible();
    await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  }

  /** Opens a page by its name. */
  async function visit(keys: Keys, name: string, heading: string) {
    await keys.press('Control+k');
    await expect(palette.getByRole('combobox')).toBeFocused();
    await keys.type(name);
    await expect(palette.getByRole('option', { selected: true })).toContainText(new RegExp(name, 'i'));
    await keys.press('Enter');
    await expect(page.getByRole('heading', { level: 1, name: heading })).toBeFocused();
  }

  /** Adds a filter with the filter menu. */
  async function filter(keys: Keys, field: string, set: () => Promise<void>) {
    await keys.press('f');
    await expect(dialog.getByRole('textbox', { name: 'Find a field' })).toBeFocused();
    await keys.type(field);
    await keys.press('Enter');
    await set();
    await expect(dialog).toHaveCount(0);
  }

  /** Finds deliveries by a part of their numbers, and selects all of them. */
  async function selectAll(keys: Keys, part: string, found: number) {
    await keys.press('/');
    await keys.type(part);
    await keys.press('Enter');
    await expect(count(found)).toBeVisible();
    // The count may arrive before the rows.
    await expect(rows.filter({ hasNotText: part })).toHaveCount(0);
    await expect(rows.filter({ hasText: part }).first()).toBeVisible();
    // Leave the search box, where the shortcut `*` would be typed as text.
    await keys.press('Tab');
    const selected = page.getByRole('group', { name: 'Selected rows' });
    await keys.press('*');
    await expect(selected).toBeVisible();
    await keys.press('*');
    await expect(selected).toContainText(`All ${found} that match`);
  }

  await made(request, 'YES-1');
  await record(request, 'YES-1', { status: 'Undelivered', outcomeReason: 'site_closed', outcomeNote: 'Shut' });
  await made(request, 'VAR-1');
  await made(request, 'COR-1');
  await record(request, 'COR-1', { status: 'Complete_No_Variance', receivedBy: 'Luz' });
  await conflicting(request, 'CON-1');
  await imported(request, 'ASG', 30);
  await imported(request, 'PUT', 200);
  await driver(request, { driverId: 'DRV-902', name: 'Wenceslao Uy', username: 'wenceslao' });
  await driving(request);

  await task("Find yesterday's undelivered deliveries of a customer", async (keys) => {
    await filter(keys, 'date r', async () => {
      await keys.reach(dialog.getByRole('radio', { name: 'Yesterday' }), 'ArrowRight');
      await keys.press('Enter');
    });
    await filter(keys, 'status', async () => {
      await keys.use(dialog.getByRole('checkbox', { name: 'Undelivered' }), 'Space');
      await keys.press('Enter');
    });
    await filter(keys, 'customer', async () => {
      await keys.type('quintes');
      await expect(dialog.getByRole('listbox').getByRole('option')).toHaveCount(1);
      await keys.press('ArrowDown');
      await expect(dialog.getByRole('option', { selected: true, name: 'Quintessa Store' })).toBeVisible();
      await keys.press('Enter');
      await expect(dialog.getByRole('button', { name: 'Remove Quintessa Store' })).toBeVisible();
      await keys.press('Enter');
    });
    await expect(page.getByText('YES-1')).toBeVisible();
  });

  await task('Assign 30 deliveries to a driver', async (keys) => {
    await selectAll(keys, 'ASG', 30);
    await keys.press('a');
    await keys.fill(dialog.getByRole('combobox', { name: 'Driver ID' }), 'wence');
    await expect(dialog.getByRole('option', { name: /Wenceslao Uy/ })).toBeVisible();
    await keys.press('ArrowDown');
    await keys.press('Enter');
    await keys.press('Enter');
    await keys.use(dialog.getByRole('button', { name: 'Change 30' }));
    await expect(dialog.getByRole('status')).toContainText('30 changed');
    await keys.press('Escape');
  });

  await task('Put off 200 deliveries to the next working day', async (keys) => {
    await selectAll(keys, 'PUT', 200);
    await keys.press('d');
    await expect(dialog.getByLabel('Month')).toBeFocused();
    await keys.press('Enter');
    await keys.use(dialog.getByRole('button', { name: 'Change 200' }));
    await expect(dialog.getByRole('status')).toContainText('200 changed');
    await keys.press('Escape');
  });

  await task('Complete a delivery with a variance and a photo', async (keys) => {
    await open(keys, 'VAR-1');
    await expect(main.getByRole('link', { name: 'Complete', exact: true })).toBeVisible();
    await keys.press('c');
    await expect(page.getByLabel('Received by')).toBeVisible();
    await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
    await keys.fill(page.getByLabel('Received by'), 'Luz');
    await keys.reach(page.getByLabel('Delivered of item 1'));
    await keys.press('Control+a');
    await keys.type('8');
    await keys.reach(page.getByLabel('Reason of item 1'));
    await keys.type('Dam');
    const chooser = page.waitForEvent('filechooser');
    await keys.use(main.getByRole('button', { name: /photo/i }).first());
    await (await chooser).setFiles({ name: 'bags.png', mimeType: 'image/png', buffer: await page.screenshot() });
    await keys.use(page.getByRole('button', { name: 'Save', exact: true }));
    await expect(page.getByText('Complete with variance').first()).toBeVisible();
  });

  await task('Correct the lines of a completed delivery', async (keys) => {
    await open(keys, 'COR-1');
    await expect(main.getByRole('link', { name: 'Correct items' })).toBeVisible();
    await keys.press('c');
    await expect(page.getByLabel('Delivered of item 1')).toBeVisible();
    await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
    await keys.reach(page.getByLabel('Delivered of item 1'));
    await keys.press('Control+a');
    await keys.type('9');
    await keys.reach(page.getByLabel('Reason of item 1'));
    await keys.type('Sh');
    await keys.fill(page.getByLabel('Reason for the correction'), 'One bag was left on the truck');
    await keys.use(page.getByRole('button', { name: 'Save', exact: true }));
    await expect(page.getByText('Complete with variance').first()).toBeVisible();
  });

  await task('Print a delivery form', async (keys) => {
    await open(keys, 'COR-1');
    await expect(main.getByRole('link', { name: 'Delivery form', exact: true })).toBeVisible();
    await keys.press('p');
    await expect(main.getByRole('button', { name: 'Print' })).toBeVisible();
    await keys.press('p');
    await expect(page.locator('html')).toHaveAttribute('data-printed');
  });

  await task('Follow a driver', async (keys) => {
    await visit(keys, 'driver tr', 'Driver Tracker');
    await keys.fill(page.getByLabel('Find a driver'), 'zos');
    await expect(drivers).toHaveCount(1);
    await keys.use(drivers.filter({ hasText: 'Zosimo' }));
    await expect(page.getByRole('region', { name: 'Driver Zosimo Yap' })).toContainText('Last seen');
  });

  await task("Replay a driver's day", async (keys) => {
    await visit(keys, 'driver tr', 'Driver Tracker');
    await keys.fill(page.getByLabel('Find a driver'), 'zos');
    await expect(drivers).toHaveCount(1);
    await keys.use(drivers.filter({ hasText: 'Zosimo' }));
    await keys.use(page.getByRole('region', { name: 'Driver Zosimo Yap' }).getByRole('link', { name: 'Open trail' }));
    await expect(page.getByRole('region', { name: 'Replay' })).toBeVisible();
    await keys.press('p');
    await expect(page.getByRole('button', { name: 'Pause' })).toBeVisible();
  });

  await task('Make a driver with a link for the PIN', async (keys) => {
    await visit(keys, 'new driver', 'New driver');
    await keys.fill(page.getByLabel('Driver ID'), 'DRV-901');
    await keys.fill(page.getByLabel('Name', { exact: true }), 'Nestor Cruz');
    await keys.fill(page.getByLabel('Username'), 'nestor');
    await keys.press('Enter');
    await expect(page.getByText('This driver has no PIN yet')).toBeVisible();
    await keys.use(main.getByRole('link', { name: 'Drivers Reset Password' }));
    await expect(main.getByRole('button', { name: 'Create reset link for nestor' })).toBeVisible();
    await keys.press('j');
    await keys.press('Enter');
    await keys.use(page.getByRole('button', { name: 'Create link' }));
    await expect(page.getByLabel('Reset link', { exact: true })).toHaveValue(/resetToken/);
  });

  await task("Review a driver's late update", async (keys) => {
    await filter(keys, 'conflict', async () => {
      await keys.use(dialog.getByRole('checkbox', { name: 'Yes' }), 'Space');
      await keys.press('Enter');
    });
    await expect(rows.filter({ hasText: 'CON-1' })).toBeVisible();
    await keys.press('j');
    await keys.press('Enter');
    await expect(main.getByRole('button', { name: 'Mark as reviewed' })).toBeVisible();
    await keys.press('r');
    await expect(page.getByText('Marked as reviewed')).toBeVisible();
  });

  expect(tasks).toHaveLength(10);
  const text = pageOf(tasks);
  if (process.env.WAYBILL_WRITE_KEYS) writeFileSync(DOC, text);
  expect(readFileSync(DOC, 'utf8'), 'docs/keyboard.md says how many keys each task takes').toBe(text);
});
