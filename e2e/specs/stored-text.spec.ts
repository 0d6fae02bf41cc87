// Stored text never runs: texts that would run, load or lead away are planted in every field that a person or another
// system can fill, and every page is visited. Each is shown as text. WAYBILL_E2E_PAYLOADS=200 is a full run.
import type { APIRequestContext, BrowserContext, Page, PlaywrightWorkerArgs } from '@playwright/test';
import { routePaths } from '../../frontend/src/routing/route-paths.ts';
import { redeem, resetLink } from '../support/accounts.ts';
import { ask, authorized, createAdmin, signIn } from '../support/api.ts';
import { filterOf, toAddress } from '../support/filters.ts';
import { expect, untouched as test } from '../support/fixtures.ts';
import { SCREENS, type Screen } from '../support/looks.ts';
import { ASCII, choose, EMAIL, MANY, PAYLOADS, Planting } from '../support/payloads.ts';
import { Receiver } from '../support/receiver.ts';
import { withoutWebgl } from '../support/screens.ts';
import { clear, sow, type Ground, type Sown } from '../support/sown.ts';
import { setTrap, shown, squeezed, strange } from '../support/trap.ts';

// What is planted would disturb other tests, so this file has its own Waybill.
test.use({ apart: 'stored text' });

const SHARE = 8;
const COUNT = Number(process.env.WAYBILL_E2E_PAYLOADS ?? SHARE);
const SEED = Number(process.env.WAYBILL_E2E_SEED ?? 1);
/** In a push, one round spreads the texts over the fields. In a longer run, each round gives each field another one. */
const ROUNDS = COUNT > SHARE ? COUNT : 1;
/** Pages that are visited at the same time, because they mostly wait. */
const LANES = 3;

interface Visit {
  at: string;
  /** Fields whose texts the page shows at first. */
  shows?: readonly string[];
  /** Opens a dialog, panel, menu or tooltip. */
  act?: (page: Page) => Promise<void>;
  /** Fields whose texts are shown after that. */
  reveals?: readonly string[];
}

/** Screens for people who are not signed in. */
const OUTSIDE: readonly Screen[] = ['login', 'createAdmin', 'forgotPassword', 'resetPassword', 'register'];

/** Creates an administrator with planted texts, signs the browser in as this person, and also another browser. */
async function newcomer(
  context: BrowserContext,
  office: APIRequestContext,
  playwright: PlaywrightWorkerArgs['playwright'],
  { plant, round }: Planting,
): Promise<string> {
  const username = plant('actor', 64, ASCII);
  const displayName = plant('display name of the actor', 100);
  const email = `${plant('email of the actor', 60, EMAIL)}@pwn.example`;
  const password = `tuyo-at-kape-${round}-ng-umaga`;
  const query = 'mutation($input: CreateUserInput!) { createUser(input: $input) { id } }';
  const input = { username, displayName, email, roles: ['admin', 'transport_planner'] };
  const { createUser } = await ask(office, query, { input });
  await redeem(office, await resetLink(office, createUser.id), password);
  await context.clearCookies();
  await signIn(context.request, { username, password });
  const userAgent = plant('user agent', 100, ASCII);
  const other = await playwright.request.newContext({ baseURL: process.env.WAYBILL_URL!, userAgent });
  await signIn(other, { username, password });
  await other.dispose();
  return username;
}

const encoded = encodeURIComponent;

/** Returns the filter of a list as it is in an address. */
const filtersOf = (key: string, value: string) =>
  new URLSearchParams({ filters: toAddress(filterOf(key, 'contains', value)) }).toString();

/** Presses a button and waits for what it opens. */
const press =
  (name: RegExp, role: 'dialog' | 'alertdialog' = 'dialog') =>
  async (page: Page) => {
    await page.getByRole('button', { name }).first().click();
    await expect(page.getByRole(role).first()).toBeVisible();
  };

/** Opens the details of the first row. */
async function openRow(page: Page) {
  await page.locator('tbody').getByRole('button').first().click();
  await expect(page.getByRole('dialog').first()).toBeVisible();
}

const HEAD = [
  'shipment',
  'customer',
  'delivery address',
  'contact name',
  'contact phone',
  'contact email',
  'reference',
  'trucker',
  'instructions',
  'internal note',
];
const ITEM = ['item number', 'SKU', 'description', 'unit', 'barcode'];

/** What each screen shows besides the layout, where it shows something that was planted. */
function details(planting: Planting): Partial<Record<Screen, Omit<Visit, 'at'>>> {
  const text = (field: string) => planting.text(field);
  return {
    dashboard: { shows: ['actor', 'announcement'], act: (page) => palette(page, text('pending delivery')) },
    queryLab: { act: (page) => runQuery(page, text('saved query'), text('trucker')), reveals: ['saved query', 'trucker'] },
    deliveries: { shows: ['pending delivery', 'customer', 'saved view'], act: chooseCustomer },
    forms: { shows: ['finished delivery', 'customer'] },
    customers: { shows: ['customer'] },
    sources: { shows: ['source'] },
    driverResetPassword: { shows: ['driver username'] },
    userResetPassword: { shows: ['username'] },
    adminUsers: { shows: ['username', 'display name', 'user email'] },
    viewDelivery: {
      shows: ['finished delivery', 'received by', 'outcome note', 'variance note', 'correction', 'file name', 'driver name'],
      act: openFile,
      reveals: ['file name', 'file note'],
    },
    editDelivery: { shows: ['pending delivery', ...HEAD], act: press(/^Delete item /, 'alertdialog'), reveals: ['item number'] },
    editDeliveryItem: { shows: ITEM },
    viewDeliveryItem: { shows: [...ITEM, 'variance note'] },
    viewForm: {
      shows: ['finished delivery', 'customer', 'received by'],
      act: (page) => page.emulateMedia({ media: 'print' }),
      reveals: ['customer'],
    },
    deliveryStatusHistories: { shows: ['failed delivery'], act: openRow, reveals: ['reschedule note'] },
    viewCustomer: { shows: ['customer', 'customer email', 'customer address', 'customer code', 'customer phone'] },
    editCustomer: { shows: ['customer email', 'customer address', 'customer code', 'customer phone'] },
    viewSource: { shows: ['source'] },
    editSource: { shows: ['source'] },
    uploadDeliveries: { shows: ['refused file', 'waiting file'] },
    uploadedDetails: { shows: ['refused file', 'refused customer', 'refused quantity', 'refused cell', 'unknown heading'] },
    drivers: { shows: ['driver ID', 'driver name'], act: press(/^Pair a device$/), reveals: ['unknown device'] },
    viewDriver: {
      shows: ['driver ID', 'driver name', 'driver username', 'driver email', 'driver trucker', 'license number', 'vehicle plate', 'device'],
      act: (page) => unpair(page, text('device')),
      reveals: ['device'],
    },
    editDriver: { shows: ['driver name', 'driver username', 'driver trucker', 'license number', 'vehicle plate'] },
    driverTrackerList: { shows: ['driver name'] },
    driverTracker: { shows: ['driver name'] },
    viewDriverActivityLog: { shows: ['device in the driver log', 'app version', 'name of a detail', 'detail'] },
    adminSystemSetting: { shows: ['organization'] },
    adminSystemSettings: { shows: ['organization', 'organization email', 'organization website'] },
    viewUser: { shows: ['username', 'display name', 'user email'] },
    editUserRoles: { shows: ['username'] },
    auditEntries: { shows: ['actor', 'source'], act: openRow, reveals: ['source'] },
    deadLetters: { shows: ['error of a letter', 'answer of a receiver', 'reason to discard'] },
    deadLetter: {
      shows: ['delivery of a letter', 'error of a letter', 'body of a letter'],
      act: press(/^Edit and resend$/),
      reveals: ['body of a letter'],
    },
    reportSettings: { shows: ['report'] },
    reportSetting: { shows: ['report', 'report column', 'trucker'] },
    announcements: { shows: ['announcement title'], act: press(/^Announcements/), reveals: ['announcement title'] },
    viewAnnouncement: {
      shows: ['announcement title', 'announcement'],
      act: press(/^Delete$/, 'alertdialog'),
      reveals: ['announcement title'],
    },
    editAnnouncement: { shows: ['announcement title', 'announcement'] },
    account: {
      shows: ['actor', 'display name of the actor', 'email of the actor', 'organization'],
      act: (page) => hover(page, text('user agent')),
      reveals: ['user agent'],
    },
  };
}

/** Returns a visit of every screen for people who are signed in. */
function screens(sown: Sown, planting: Planting): Visit[] {
  const parameters: Record<string, string> = {
    deliveryId: sown.finished,
    itemNumber: sown.itemNumber,
    customerName: planting.text('customer'),
    sourceId: sown.sourceId,
    uploadLog: sown.refused,
    driverId: sown.driverId,
    settingsId: 'organization-name',
  };
  const own: Partial<Record<Screen, Record<string, string>>> = {
    editDelivery: { deliveryId: sown.pending },
    editDeliveryItem: { deliveryId: sown.pending },
    viewDriverActivityLog: { id: sown.logId },
    systemSetting: { settingsId: 'delivery-max-attempts' },
    viewUser: { id: sown.userId },
    editUserRoles: { id: sown.userId },
    deadLetter: { id: sown.letter },
    reportSetting: { id: sown.report.id },
    viewAnnouncement: { id: sown.announcementId },
    editAnnouncement: { id: sown.announcementId },
  };
  // What was planted in earlier rounds would fill the first page of these lists.
  const filters: Partial<Record<Screen, string>> = {
    deliveries: filtersOf('id', sown.pending),
    forms: filtersOf('id', sown.finished),
    deliveryStatusHistories: filtersOf('deliveryId', sown.failed),
    customers: filtersOf('customerName', planting.text('customer')),
    sources: filtersOf('name', planting.text('source')),
    drivers: filtersOf('name', planting.text('driver name')),
    driverResetPassword: filtersOf('username', planting.text('driver username')),
    userResetPassword: filtersOf('username', planting.text('username')),
    adminUsers: filtersOf('username', planting.text('username')),
    auditEntries: filtersOf('entityName', planting.text('source')),
    announcements: filtersOf('title', planting.text('announcement title')),
  };
  const more = details(planting);
  const names = (Object.keys(SCREENS) as Screen[]).filter((name) => !OUTSIDE.includes(name));
  return names.map((name) => {
    const path: string = name === 'notFound' ? '/no/{deliveryId}' : routePaths[name];
    const filled = path.replace(/\{(\w+)\}/g, (_, key: string) => encoded(own[name]?.[key] ?? parameters[key] ?? key));
    const search = filters[name];
    return { at: search ? `${filled}?${search}` : filled, ...more[name] };
  });
}

/** Returns visits of screens in other states, and of other records. */
function states(sown: Sown): Visit[] {
  const [pending, failed] = [encoded(sown.pending), encoded(sown.failed)];
  const letters = '/admin/settings/dead-letters';
  return [
    { at: `/view-delivery/${pending}`, shows: ['pending delivery', ...HEAD, ...ITEM, 'source'] },
    { at: `/view-delivery/${failed}` },
    { at: `/view-delivery/${failed}?attempt=1`, shows: ['note of a failure', 'reason'] },
    { at: `/view-delivery/${encoded(`${sown.pending} twice`)}` },
    { at: `/view-delivery-item/${pending}/${encoded(sown.itemNumber)}`, shows: ITEM },
    { at: `/edit-delivery/${pending}?outcome=delivered` },
    { at: `/edit-delivery/${pending}?outcome=undelivered`, shows: ['reason'] },
    { at: `/edit-delivery/${encoded(sown.finished)}?outcome=correct`, shows: ['finished delivery'] },
    { at: `/report?setting=${sown.report.id}`, shows: ['report', 'report column', 'trucker'] },
    {
      at: `/uploaded-details/${sown.waiting}`,
      shows: ['waiting file', 'sheet', 'heading', 'cell'],
      act: press(/^Saved mappings$/),
      reveals: ['saved mapping'],
    },
    { at: `${letters}?view=list`, shows: ['delivery of a letter', 'error of a letter'] },
    { at: `${letters}?tab=sent` },
    { at: `${letters}?tab=endpoints`, shows: ['endpoint', 'endpoint address'], act: testEndpoint, reveals: ['answer of a receiver'] },
    { at: `/admin/settings/dead-letter/${sown.malformed}`, shows: ['malformed letter', 'key of a malformed letter', 'reason to discard'] },
    {
      at: `/admin/settings/dead-letter/${sown.refusal}`,
      shows: ['pending delivery', 'answer of a receiver', 'endpoint'],
      act: (page) => page.getByRole('button', { name: 'Response', exact: true }).click(),
      reveals: ['answer of a receiver'],
    },
  ];
}

async function palette(page: Page, id: string) {
  await page.getByRole('button', { name: 'Search or go to' }).locator('visible=true').click();
  await page.getByRole('dialog').getByRole('combobox').fill(id);
  await expect(page.getByRole('option').filter({ hasText: id }).first()).toBeVisible();
}

/** Events bring the deliveries to analytics, which takes a moment. */
async function runQuery(page: Page, name: string, trucker: string) {
  await page.getByRole('button', { name: 'Saved queries' }).click();
  const panel = page.getByRole('dialog', { name: 'Saved queries' });
  await panel.getByRole('button').filter({ hasText: name }).click();
  await expect(async () => {
    await page.getByRole('button', { name: /^Run query/ }).click();
    await expect(page.getByRole('table', { name: 'Result' })).toContainText(trucker, { timeout: 2_000 });
  }).toPass({ timeout: 15_000 });
}

async function chooseCustomer(page: Page) {
  await press(/^Filter$/)(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Customer Name' }).click();
  await expect(page.getByRole('listbox').getByRole('option').first()).toBeVisible();
}

async function openFile(page: Page) {
  await page.getByRole('list', { name: 'Files' }).getByRole('button').first().click();
  await expect(page.getByRole('dialog')).toBeVisible();
}

async function unpair(page: Page, device: string) {
  await press(/^Unpair /, 'alertdialog')(page);
  await page.getByRole('alertdialog').getByRole('button', { name: 'Unpair device' }).click();
  await expect(page.getByText(`${device} unpaired`)).toBeVisible();
}

async function hover(page: Page, tip: string) {
  // A JSON string is a CSS string as well, as long as it is ASCII.
  await page.locator(`[data-tip=${JSON.stringify(tip)}]`).first().hover();
  await expect(page.getByRole('tooltip')).toBeVisible();
}

async function testEndpoint(page: Page) {
  await page.getByRole('button', { name: 'Send test' }).first().click();
  await expect(page.getByRole('alert').filter({ hasText: '422: ' }).first()).toBeVisible();
}

/** Makes a visit. Adds the fields whose texts the page shows to `seen`. */
async function visit(page: Page, { at, shows = [], act, reveals = [] }: Visit, planting: Planting, seen: Set<string>) {
  const expectTexts = async (fields: readonly string[], when: string) => {
    let all = '';
    const missing = async () => {
      all = await shown(page);
      return fields.filter((field) => !all.includes(squeezed(planting.text(field))));
    };
    await expect.soft.poll(missing, { message: `texts that are missing ${when} ${at}`, timeout: 10_000 }).toEqual([]);
    for (const [field, text] of planting.texts) {
      if (all.includes(squeezed(text))) seen.add(field);
    }
  };
  await page.goto(at);
  await expect.soft(page.getByRole('heading', { level: 1 }).first(), at).toBeVisible();
  await expect.soft(page.getByText('Loading...'), at).toHaveCount(0);
  await expect.soft(page.getByRole('status', { name: 'Loading...' }), at).toHaveCount(0);
  await expectTexts(shows, 'on');
  if (act) {
    await act(page);
    await expectTexts(reveals, 'in what opens on');
    await page.emulateMedia({ media: null });
  }
  expect.soft(await strange(page), `elements that a text made on ${at}`).toEqual([]);
}

/** Visits all pages in several lanes. Returns the fields whose texts were seen. */
async function visitAll(lanes: readonly Page[], visits: readonly Visit[], planting: Planting): Promise<Set<string>> {
  const seen = new Set<string>();
  const next = visits.values();
  const run = async (page: Page) => {
    for (const one of next) await visit(page, one, planting, seen);
  };
  await Promise.all(lanes.map(run));
  return seen;
}

const PAGE_TYPES = /^(?:text\/html|image\/svg|application\/xhtml|text\/xml|application\/xml)/;

/** Opens files and answers by their addresses. None that has a stored text, or the text of its address, is a page. */
async function openAnswers(page: Page, request: APIRequestContext, { file, finished }: Sown) {
  const headers = await authorized(request);
  for (const at of [file, `/delivery-forms/${encoded(finished)}.pdf`, '/export/deliveries?format=csv', '/export/deliveries?format=xlsx']) {
    const answer = await request.get(at, at === file ? {} : { headers });
    expect.soft(answer.status(), at).toBe(200);
    const { 'content-type': type, 'x-content-type-options': sniffing } = answer.headers();
    expect.soft(type, at).not.toMatch(PAGE_TYPES);
    expect.soft(sniffing, at).toBe('nosniff');
  }
  const text = encoded(finished);
  const folders = ['/objects/', '/logo/', '/assets/', '/delivery-forms/', '/driver/v1/deliveries/'];
  const questions = ['/auth?method=', '/geocode?address=', '/export/deliveries?format='];
  for (const at of [file, ...[...folders, ...questions].map((start) => start + text)]) {
    // A file that is saved ends the navigation.
    await page.goto(at).catch(() => undefined);
  }
}

/** Visits the pages for people who are not signed in, with a text in the address. */
async function visitOutside(page: Page, finished: string) {
  const text = encoded(finished);
  const addresses = ['/login?redirectTo=javascript:pwn()', `/login?redirectTo=/${text}`, `/forgot-password?username=${text}`];
  for (const at of [...addresses, `/reset-password?resetToken=${text}`, '/auth/create-admin', '/admin/auth/register']) {
    await page.goto(at);
    await expect.soft(page.getByRole('heading', { level: 1 }).first(), at).toBeVisible();
    expect.soft(await strange(page), at).toEqual([]);
  }
}

test('a text that runs, loads or breaks the security policy is noticed', async ({ page, context, product, quiet }) => {
  expect(new Set(PAYLOADS).size).toBe(MANY);
  quiet.expectNoise(/security policy|pwn|Failed to load resource/i);
  const caught = await setTrap(context, product.url);
  const body = '<!doctype html><title>Trap</title><p>before <svg onload=pwn()></svg><img src=/pwn><a href=javascript:pwn()>after</a>';
  await page.route('**/trap', (route) => route.fulfill({ contentType: 'text/html', body }));
  await page.goto('/trap');
  await expect.poll(() => caught.some((line) => line.startsWith('ran on'))).toBe(true);
  await expect.poll(() => caught).toContain(`asked for ${product.url}/pwn`);
  expect(await strange(page)).toHaveLength(2);
  expect(await shown(page)).toBe('beforeafter');

  // On a page of the product, the policy stops what a text does, and reports it.
  caught.length = 0;
  await page.goto('/login');
  await page.evaluate(() => document.body.insertAdjacentHTML('beforeend', '<img src="data:," onerror="pwn()"><p>before <b>after</b></p>'));
  await expect.poll(() => caught.some((line) => line.startsWith('security policy: script-src'))).toBe(true);
  expect(caught.filter((line) => !line.startsWith('security policy'))).toEqual([]);
  expect(await strange(page)).toHaveLength(1);
  expect(await shown(page)).toContain('beforeafter');
  expect(await shown(page)).not.toContain('<b>');
});

test('stored text is shown as text on every page, and never runs', async ({ page, context, browser, playwright, product, quiet }) => {
  test.setTimeout(120_000 + ROUNDS * 120_000);
  // Some addresses answer with a refusal.
  quiet.expectNoise(/^error: Failed to load resource: the server responded with a status of 4/);
  await createAdmin(product.url);
  const office = await playwright.request.newContext({ baseURL: product.url });
  await signIn(office);
  const receiver = await Receiver.open(() => '');
  const caught = await setTrap(context, product.url);
  const lanes = [page];
  while (lanes.length < LANES) lanes.push(await context.newPage());
  for (const lane of lanes) await withoutWebgl(lane);
  const chosen = choose(COUNT, SEED);

  for (let round = 0; round < ROUNDS; round += 1) {
    await test.step(`round ${round + 1} of ${ROUNDS}, seed ${SEED}`, async () => {
      const planting = new Planting(chosen, round);
      const actor = await newcomer(context, office, playwright, planting);
      const ground: Ground = { request: context.request, actor, office, base: product.url, ingest: product.ingest, receiver };
      const sown = await sow(ground, planting);
      const seen = await visitAll(lanes, [...screens(sown, planting), ...states(sown)], planting);
      const unseen = [...planting.texts].filter(([field]) => !seen.has(field));
      expect.soft(unseen, 'fields whose text no page shows').toEqual([]);
      await openAnswers(page, context.request, sown);
      if (round === 0) {
        const outside = await browser.newContext({ baseURL: product.url, reducedMotion: 'reduce' });
        const outsideCaught = await setTrap(outside, product.url);
        await visitOutside(await outside.newPage(), sown.finished);
        expect.soft(outsideCaught, 'what texts did for people who are not signed in').toEqual([]);
        await outside.close();
      }
      expect.soft(caught.splice(0), 'what texts did').toEqual([]);
      if (round + 1 < ROUNDS) await clear(ground, sown);
    });
  }
  await receiver.close();
  await office.dispose();
});
