// Drivers on the map: watched as they move, and replayed for any day.
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { ask } from '../support/api.ts';
import { expect, test } from '../support/fixtures.ts';
import { look, lookInBothSizes, SIZES } from '../support/look.ts';
import { tileArchive } from '../support/tile-archive.ts';
import { measureTracker } from '../support/tracker-load.ts';

test.use({ as: 'admin' });

// A screenshot reads back the drawn pixels. A browser without a graphics card logs a warning about that.
test.beforeEach(({ quiet }) => quiet.expectNoise(/GPU stall due to ReadPixels/));

const tag = () => Math.random().toString(36).slice(2, 8);
const KNOTS = 1 / 1.852;

interface Point {
  at: number;
  lat: number;
  lng: number;
  kmh: number;
  heading: number;
}

/** Sends a position as a tracker app does, with the OsmAnd protocol. */
async function send(device: string, { at, lat, lng, kmh, heading }: Point) {
  const query = new URLSearchParams({
    id: device,
    lat: String(lat),
    lon: String(lng),
    timestamp: String(Math.floor(at / 1000)),
    speed: String(kmh * KNOTS),
    bearing: String(heading),
    accuracy: '8',
    batt: '64',
  });
  const answer = await fetch(`${process.env.WAYBILL_INGEST}/?${query}`);
  expect(answer.status, 'the position is taken').toBe(200);
}

/** Creates a driver whose phone is paired. */
async function paired(page: Page, name: string): Promise<{ driverId: string; device: string }> {
  const driverId = `DRV-${tag()}`;
  const device = `phone-${tag()}`;
  const { request } = page.context();
  const input = { driverId, name, username: driverId.toLowerCase(), phone: '+63 917 555 0147', vehiclePlate: 'NBC 4821' };
  await ask(request, 'mutation($input: CreateDriverInput!) { createDriver(input: $input) { driverId } }', { input });
  // An unpaired device gets status 404, and is then listed for pairing.
  const first = await fetch(`${process.env.WAYBILL_INGEST}/?id=${device}&lat=14.5&lon=121`);
  expect(first.status).toBe(404);
  const pair = { uniqueId: device, driverId };
  await ask(request, 'mutation($input: PairDeviceInput!) { pairDevice(input: $input) { driverId } }', { input: pair });
  return { driverId, device };
}

/** Returns a position every 30 seconds: twenty minutes of driving, six on site, and ten of driving. */
function day(start: number): Point[] {
  const points: Point[] = [];
  let [lat, lng] = [14.55, 121.0];
  for (let minute = 0; minute <= 36; minute += 0.5) {
    const stands = minute > 20 && minute < 26;
    if (!stands) {
      lat += 0.0012;
      lng += 0.0008 * Math.cos(minute / 4);
    }
    points.push({ at: start + minute * 60_000, lat, lng, kmh: stands ? 0 : 32 + 12 * Math.sin(minute), heading: 34 });
  }
  return points;
}

test('a driver is seen moving, on the map, in the list and in the table', async ({ page }) => {
  const { driverId, device } = await paired(page, 'Rico Santos');
  const now = Date.now();
  const way = day(now - 36 * 60_000);
  for (const point of way) await send(device, point);
  const last = way.at(-1)!;

  await page.goto('/driver-tracker-list');
  // The demo data has more drivers than the list renders at once, so search for this one.
  await page.getByLabel('Find a driver').fill(driverId);
  const row = page.getByRole('list', { name: 'Drivers on the map' }).getByRole('button', { name: /Rico Santos/ });
  await expect(row).toContainText(/Moving|Stopped/);
  await expect(page.getByText(/^Live, updated/)).toBeVisible();
  await row.click();
  const card = page.getByRole('region', { name: 'Driver Rico Santos' });
  await expect(card).toContainText('NBC 4821');
  await expect(card.getByRole('link', { name: 'Call' })).toHaveAttribute('href', 'tel:+639175550147');

  // The phone sends a position, and the page shows it without any action.
  await send(device, { ...last, at: Date.now(), lat: last.lat + 0.0004, kmh: 52 });
  await expect(card).toContainText('52 km/h');
  await expect(row).toContainText('Moving');
  await look(page, 'driver-tracker');

  await page.getByRole('button', { name: 'Table' }).click();
  const cells = page.getByRole('table', { name: 'Driver positions' }).getByRole('row', { name: /Rico Santos/ });
  await expect(cells).toContainText(`${(last.lat + 0.0004).toFixed(5)}, ${last.lng.toFixed(5)}`);
  await look(page, 'driver-tracker-table');

  await page.getByRole('button', { name: 'Map' }).click();
  await page.setViewportSize(SIZES.mobile);
  await expect(card).toBeVisible();
  await card.getByRole('button', { name: "Close the driver's card" }).click();
  await expect(row).toBeVisible();
  await look(page, 'driver-tracker', 'mobile');
  // What a closed sheet hides does not lie below the end of the page.
  await page.getByRole('button', { name: 'Open the list fully' }).click();
  await page.getByRole('button', { name: 'Close the list' }).click();
  expect(await page.evaluate(() => document.documentElement.scrollHeight - window.innerHeight)).toBeLessThanOrEqual(0);
  await page.goto(`/driver-tracker/${driverId}`);
  await expect(page.getByRole('heading', { name: 'Rico Santos' })).toBeVisible();
});

test('any day is replayed, with its stops, and saved as CSV and GPX', async ({ page }) => {
  await page.addInitScript(() => Reflect.deleteProperty(window, 'showSaveFilePicker'));
  const { driverId, device } = await paired(page, 'Marites Dela Cruz');
  // Nine in the morning of the day before, in the organization's time zone.
  const yesterday = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Manila' }).format(Date.now() - 86_400_000);
  const start = Date.parse(`${yesterday}T09:00:00+08:00`);
  for (const point of day(start)) await send(device, point);

  await page.goto(`/driver-tracker/${driverId}?day=${yesterday}`);
  const panel = page.getByRole('region', { name: "Driver's day" });
  const stop = panel.getByRole('button', { name: /Stop 1/ });
  await expect(stop).toContainText('on site');
  await expect(panel).toContainText('km');
  const bar = page.getByRole('region', { name: 'Replay' });
  const slider = bar.getByRole('slider');
  await expect(slider).toHaveAttribute('aria-valuetext', /^9:00 AM/);
  await bar.getByRole('button', { name: '60×' }).click();
  await bar.getByRole('button', { name: 'Play' }).click();
  await expect.poll(async () => Number(await slider.getAttribute('aria-valuenow'))).toBeGreaterThan(start + 120_000);
  await bar.getByRole('button', { name: 'Pause' }).click();
  await stop.click();
  await expect(slider).toHaveAttribute('aria-valuetext', /^9:(19|2\d) AM/);
  await lookInBothSizes(page, 'driver-trail');

  for (const [item, format] of [['As CSV', 'csv'], ['As GPX', 'gpx']] as const) {
    await bar.getByRole('button', { name: 'Export' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: item }).click();
    const saved = await download;
    expect(saved.suggestedFilename()).toBe(`${driverId}-${yesterday}.${format}`);
    const text = await readFile(await saved.path(), 'utf8');
    if (format === 'csv') expect(text.trim().split('\r\n')).toHaveLength(1 + day(start).length);
    else expect(text.match(/<trkpt/g)).toHaveLength(day(start).length);
  }

  await page.getByRole('button', { name: 'Table' }).click();
  await expect(page.getByRole('table', { name: 'Stops and deliveries of the day' })).toContainText('Stop 1');
  await look(page, 'driver-trail-table');
});

test('the map lies on the streets of a file that the operator names', async ({ page }) => {
  const { file, tilesFrom } = tileArchive();
  const readFrom: number[] = [];
  await page.route('**/streets.pmtiles', (route) => {
    const [, from, to] = /bytes=(\d+)-(\d+)/.exec(route.request().headers().range ?? '')!;
    readFrom.push(Number(from));
    const body = file.subarray(Number(from), Number(to) + 1);
    const range = `bytes ${from}-${Number(from) + body.length - 1}/${file.length}`;
    return route.fulfill({ status: 206, body, headers: { 'content-range': range, etag: '"1"' } });
  });
  // The server has no tiles configured, so the test adds a map to the user that the server sends.
  const map = { styleUrl: '', tileUrl: `${process.env.WAYBILL_URL}/streets.pmtiles`, attribution: '' };
  await page.route('**/graphql', async (route) => {
    if (!route.request().postData()?.includes('__REDWOOD__AUTH_GET_CURRENT_USER')) return route.fallback();
    const answer = await route.fetch();
    const told = await answer.json();
    told.data.redwood.currentUser.map = map;
    return route.fulfill({ response: answer, json: told });
  });
  await page.routeWebSocket('**/graphql', (socket) => {
    socket.connectToServer().onMessage((message) => {
      const told = JSON.parse(String(message));
      if (told.payload?.data?.currentUserChanged) told.payload.data.currentUserChanged.map = map;
      socket.send(JSON.stringify(told));
    });
  });
  await page.goto('/driver-tracker-list');
  await expect(page.getByText('Streets of the test')).toBeVisible();
  await expect.poll(() => readFrom.filter((from) => from >= tilesFrom).length).toBeGreaterThan(0);
  // Change the theme only once the map has parsed its tiles: those of the old style ask the new one for its images.
  await page.waitForLoadState('networkidle');
  await look(page, 'driver-tracker-streets');
});

// A short measurement with a generous budget, because other programs may run on the machine. `just tracker`
// runs for ten minutes and applies the real budget.
test('a thousand drivers a second cost the page little, and it does not grow', async ({ page }) => {
  const seconds = Number(process.env.TRACKER_SECONDS ?? 6);
  const drivers = Number(process.env.TRACKER_DRIVERS ?? 1000);
  test.setTimeout((seconds + 120) * 1000);
  const measured = await measureTracker(page, { drivers, seconds, looks: Math.max(1, Math.round(seconds / 60)) });
  console.log(`${drivers} drivers, ${seconds} s: ${JSON.stringify(measured)}`);
  expect(measured.frames, 'something was drawn').toBeGreaterThan(5);
  // The script of `yardstick` takes 7 ms on the machine for which the budget was set. A slower machine gets more
  // time in the same ratio.
  const slower = Math.max(1, measured.yardstick / 7);
  const budget = process.env.TRACKER_SECONDS ? 8 : 16 * slower;
  expect(measured.p95, 'milliseconds of script in a frame').toBeLessThanOrEqual(budget);
  expect(measured.heapAfter - measured.heapBefore, 'bytes that stay').toBeLessThan(8 * 1024 * 1024);
});
