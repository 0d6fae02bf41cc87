// Every screen on a tablet, in portrait and landscape, and the most-used screens zoomed in. Nothing sticks
// out of the page, every page has a heading, and detail pages have a way back.
import type { APIRequestContext, Locator, Page } from '@playwright/test';
import { routePaths } from '../../frontend/src/routing/route-paths.ts';
import { officeAccount } from '../support/accounts.ts';
import { ask, importFile, signIn } from '../support/api.ts';
import { expect, test } from '../support/fixtures.ts';
import { examine, settle } from '../support/look.ts';
import { SCREENS, type Screen } from '../support/looks.ts';
import { withoutWebgl } from '../support/screens.ts';

test.use({ as: 'admin' });

const SIZES = [
  { width: 1024, height: 768 },
  { width: 768, height: 1024 },
];
/** Screens for people who are not signed in. */
const OUTSIDE: readonly Screen[] = ['login', 'createAdmin', 'forgotPassword', 'resetPassword', 'register'];
/** Screens for planners only. */
const PLANNER: readonly Screen[] = ['systemSettings', 'systemSetting'];
const WITHOUT_WAY_BACK: readonly Screen[] = ['resetPassword'];

type Address = Record<Screen, string>;

const FIND = `query {
  deliveries(page: { where: [{ key: "deliverystatus", operator: "equals", values: ["Complete_With_Variance"] }], limit: 1 }) {
    id customername items { itemNumber }
  }
  pending: deliveries(page: { where: [{ key: "deliverystatus", operator: "equals", values: ["Pending"] }], limit: 1 }) {
    id items { itemNumber }
  }
  sources { id }
  drivers(page: { limit: 1 }) { driverId }
  driverLogs(page: { limit: 1 }) { id }
  users { id }
  deliveryDeadLetters(mode: failed, page: { limit: 1 }) { id }
}`;
const ANNOUNCE = 'mutation($input: CreateAnnouncementInput!) { createAnnouncement(input: $input) { id } }';
const BROKEN = 'Delivery Doc,Shipment no.,Customer Name,Trucker,Dispatch Date and Time,Item Number,Quantity\nW-1,S,Acme,T,2030-01-02 08:00,1,twelve\n';

/**
 * Returns the address of each screen. If the demo data has no record for a screen, the address leads to its page
 * for a missing record, which must fit the window, too.
 */
async function addresses(request: APIRequestContext): Promise<Address> {
  const found = await ask(request, FIND);
  const [done] = found.deliveries;
  const [pending] = found.pending;
  const uploadLog = await importFile(request, 'widths.csv', Buffer.from(BROKEN));
  const input = { title: 'Yard closed', message: 'Gate 2 is closed until noon.', severity: 'info', audienceRoles: [], audienceUsers: [], startsAt: new Date().toISOString(), endsAt: null, isActive: false, dismissible: true };
  const { createAnnouncement } = await ask(request, ANNOUNCE, { input: { creationId: crypto.randomUUID(), announcement: input } });
  const parameters: Record<string, string> = {
    deliveryId: done.id,
    itemNumber: done.items[0].itemNumber,
    customerName: done.customername,
    sourceId: found.sources[0].id,
    uploadLog,
    driverId: found.drivers[0].driverId,
    settingsId: 'delivery-max-attempts',
  };
  const own: Partial<Record<Screen, Record<string, string>>> = {
    editDelivery: { deliveryId: pending.id },
    editDeliveryItem: { deliveryId: pending.id, itemNumber: pending.items[0].itemNumber },
    viewDriverActivityLog: { id: found.driverLogs[0]?.id ?? 'none' },
    viewUser: { id: found.users[0].id },
    editUserRoles: { id: found.users[0].id },
    deadLetter: { id: found.deliveryDeadLetters[0]?.id ?? 'none' },
    reportSetting: { id: 'new' },
    viewAnnouncement: { id: createAnnouncement.id },
    editAnnouncement: { id: createAnnouncement.id },
  };
  const names = Object.keys(SCREENS) as Screen[];
  const fill = (name: Screen) => {
    const path = name === 'notFound' ? '/no/such/page' : routePaths[name];
    return path.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(own[name]?.[key] ?? parameters[key] ?? key));
  };
  return Object.fromEntries(names.map((name) => [name, fill(name)])) as Address;
}

/** Whether a screen is about one record, or creates one, and so leads back to a list. */
const leadsBack = (name: Screen) =>
  name !== 'notFound' &&
  !WITHOUT_WAY_BACK.includes(name) &&
  /\{|\/new|create-new/.test(routePaths[name]);

/** Makes the window as high as the page, so that no sticky bar covers anything. */
async function unroll(page: Page) {
  const { width, height } = page.viewportSize()!;
  const whole = await page.evaluate(() => document.documentElement.scrollHeight);
  if (whole > height) await page.setViewportSize({ width, height: whole });
}

async function fits(page: Page, name: Screen, address: string) {
  for (const [first, size] of [...SIZES.entries()]) {
    await page.setViewportSize(size);
    if (first === 0) await page.goto(address);
    const at = `${name} at ${size.width}`;
    const heading = page.getByRole('heading', { level: 1 }).first();
    await expect.soft(heading, at).toBeVisible();
    await expect(page.getByText('Loading...')).toHaveCount(0);
    await settle(page);
    const box = await heading.boundingBox();
    expect.soft(box?.width ?? 0, `${at}: the title has room`).toBeGreaterThanOrEqual(100);
    if (leadsBack(name)) await expect.soft(page.getByRole('link', { name: /^Back to/ }).first(), at).toBeInViewport();
    await unroll(page);
    // Colors do not depend on the width, so check the contrast only once.
    const { violations, sideways } = await examine(page, { preload: false, contrast: first === 0 });
    expect.soft(violations, at).toEqual([]);
    expect.soft(sideways, `${at} fits`).toBeLessThanOrEqual(0);
  }
}

test('every screen fits a tablet, has a title and a way back, and axe has nothing to say', async ({ page, browser, baseURL }) => {
  test.setTimeout(600_000);
  await withoutWebgl(page);
  const { request } = page.context();
  const address = await addresses(request);
  const planner = await officeAccount(request, `widths-${Date.now()}`, ['transport_planner']);
  const context = await browser.newContext({ baseURL: baseURL!, reducedMotion: 'reduce' });
  const other = await context.newPage();
  for (const name of OUTSIDE) await fits(other, name, address[name]);
  await signIn(context.request, planner);
  for (const name of PLANNER) await fits(other, name, address[name]);
  await context.close();
  const rest = (Object.keys(address) as Screen[]).filter((name) => !OUTSIDE.includes(name) && !PLANNER.includes(name));
  for (const name of rest) await fits(page, name, address[name]);
});

/** The widths of a 1440 × 900 laptop at 200 %, and of a 1280 × 1024 window at 400 %. */
const ZOOMED = [
  { zoom: '200 %', width: 720, height: 450 },
  { zoom: '400 %', width: 320, height: 256 },
];

test('the daily screens can be used at a zoom of 200 % and of 400 %', async ({ page }) => {
  await withoutWebgl(page);
  const address = await addresses(page.context().request);
  const main = page.getByRole('main');
  /** The most-used screens, each with its address and its main control. */
  const screens: [Screen, string, Locator][] = [
    ['deliveries', address.deliveries, main.getByRole('link', { name: /^New/ })],
    ['viewDelivery', address.editDelivery.replace('edit', 'view'), main.getByRole('link', { name: 'Complete' })],
    ['editDelivery', `${address.editDelivery}?outcome=delivered`, main.getByRole('button', { name: 'Save', exact: true })],
    ['uploadedDetails', address.uploadedDetails, main.getByRole('link', { name: 'Import another file' })],
    ['driverTrackerList', address.driverTrackerList, main.getByRole('textbox', { name: 'Find a driver' })],
  ];
  for (const { zoom, ...size } of ZOOMED) {
    await page.setViewportSize(size);
    for (const [name, path, primary] of screens) {
      const at = `${name} at ${zoom}`;
      await page.goto(path);
      await expect.soft(page.getByRole('heading', { level: 1 }).first(), at).toBeVisible();
      await expect(primary, at).toBeVisible();
      await settle(page);
      // What loads after the scroll may move the control out of view again. A person would scroll once more.
      await expect(async () => {
        await primary.scrollIntoViewIfNeeded();
        await expect(primary, at).toBeInViewport({ ratio: 1, timeout: 1_000 });
      }).toPass({ timeout: 15_000 });
      // The trial click fails if a sticky bar covers the control.
      await primary.click({ trial: true });
      const { scrollWidth, clientWidth } = await page.evaluate(() => {
        const { documentElement: page } = document;
        return { scrollWidth: page.scrollWidth, clientWidth: page.clientWidth };
      });
      expect.soft(scrollWidth - clientWidth, `${at} fits`).toBeLessThanOrEqual(0);
    }
  }
});

test('every item of a menu can be reached by keys at a zoom of 200 % and of 400 %', async ({ page }) => {
  /** Pages, each with the button of its longest menu. */
  const menus: [string, Locator][] = [
    [routePaths.drivers, page.getByRole('button', { name: /^Actions for / }).first()],
    [routePaths.deliveries, page.getByRole('button', { name: 'Export' })],
    [routePaths.report, page.getByRole('button', { name: /^Open report/ })],
  ];
  for (const { zoom, ...size } of ZOOMED) {
    await page.setViewportSize(size);
    for (const [path, button] of menus) {
      const at = `${path} at ${zoom}`;
      await page.goto(path);
      await button.focus();
      await page.keyboard.press('Enter');
      await expect(page.getByRole('menuitem').first(), at).toBeVisible();
      for (const key of ['End', 'Home']) {
        await page.keyboard.press(key);
        const item = key === 'End' ? page.getByRole('menuitem').last() : page.getByRole('menuitem').first();
        await expect(item, at).toBeFocused();
        await expect(item, at).toBeInViewport({ ratio: 1 });
      }
      await page.keyboard.press('Escape');
    }
  }
});
