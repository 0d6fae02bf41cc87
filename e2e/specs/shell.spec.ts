// The frame around every screen: used with the keyboard alone, in the requested language, and when a part of it
// fails to load.
import type { Page } from '@playwright/test';
import { admin, ask } from '../support/api.ts';
import { expect, test } from '../support/fixtures.ts';
import { examine, look, lookInBothSizes } from '../support/look.ts';
import { THEMES } from '../support/looks.ts';
import { withoutWebgl } from '../support/screens.ts';

test.use({ as: 'admin' });

const announcer = (page: Page) => page.locator('#redwood-announcer');
const palette = (page: Page) => page.getByRole('dialog', { name: 'Command palette' });
const table = (page: Page) => page.getByRole('table', { name: 'Deliveries' });

/** Matches what the browser logs about requests that a test broke. */
const BROKEN = /Failed to load resource|ERR_FAILED|Failed to fetch dynamically imported module|404|React|caught the following error/;

async function paletteGoes(page: Page, text: string) {
  await page.keyboard.press('Control+k');
  await expect(palette(page).getByRole('combobox')).toBeFocused();
  await page.keyboard.type(text);
  await expect(palette(page).getByRole('option', { selected: true })).toContainText(text);
  await page.keyboard.press('Enter');
  await expect(palette(page)).toBeHidden();
}

test('every screen of the palette opens by keys, is announced, and takes the focus to its heading', async ({ page }) => {
  test.setTimeout(300_000);
  await withoutWebgl(page);
  await page.goto('/deliveries');
  await expect(table(page)).toBeVisible();
  await page.keyboard.press('Control+k');
  const pages = palette(page).getByRole('group', { name: 'Go to' }).getByRole('option');
  await expect(pages.first()).toBeVisible();
  const values = await pages.evaluateAll((options) => options.map((option) => option.getAttribute('data-value') ?? ''));
  expect(values.length).toBeGreaterThan(15);
  await page.keyboard.press('Escape');
  await expect(palette(page)).toBeHidden();

  for (const value of values) {
    await page.keyboard.press('Control+k');
    await expect(palette(page).getByRole('combobox')).toBeFocused();
    const selected = palette(page).getByRole('option', { selected: true });
    await expect(selected).toBeVisible();
    // Recent deliveries, if any, come before the screens.
    const options = palette(page).getByRole('option');
    const listed = await options.evaluateAll((all) => all.map((option) => option.getAttribute('data-value')));
    for (let presses = listed.indexOf(value); presses > 0; presses -= 1) await page.keyboard.press('ArrowDown');
    await expect(selected).toHaveAttribute('data-value', value);
    const before = page.url();
    await page.keyboard.press('Enter');
    await expect(palette(page)).toBeHidden();
    await expect(page, value).not.toHaveURL(before);
    await expect.soft(page.getByRole('heading', { name: 'Page not found' }), value).toHaveCount(0);
    const heading = page.getByRole('heading', { level: 1 });
    await expect(heading).toHaveCount(1);
    await expect(async () => {
      const title = await heading.innerText();
      expect(await page.title()).toBe(`${title} | Waybill`);
      expect(await announcer(page).textContent()).toBe(title);
    }).toPass();
  }
});

test('the palette finds what was open last, switches the theme and signs out', async ({ page }) => {
  const { deliveries } = await ask(page.context().request, '{ deliveries(page: { limit: 2 }) { id } }');
  for (const { id } of deliveries) {
    await page.goto(`/view-delivery/${id}`);
    await expect(page.getByRole('heading', { name: id, exact: true })).toBeVisible();
  }
  await page.goto('/upload-deliveries');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.keyboard.press('Control+k');
  const recent = palette(page).getByRole('group', { name: 'Recent deliveries' }).getByRole('option');
  await expect(recent).toHaveCount(2);
  await expect(recent.first()).toContainText(deliveries[1].id);
  await page.keyboard.press('Escape');

  await paletteGoes(page, 'Switch to dark theme');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await paletteGoes(page, 'Switch to light theme');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
  await paletteGoes(page, 'Logout');
  await expect(page).toHaveURL('/login');
});

test('the language is asked for by lng, kept, and English where there is no other', async ({ page }) => {
  await page.goto('/deliveries?lng=en-GB');
  await expect(table(page)).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', 'en-GB');
  await page.goto('/deliveries');
  await expect(page.locator('html')).toHaveAttribute('lang', 'en-GB');
  await page.goto('/deliveries?lng=de');
  await expect(page.getByRole('heading', { level: 1, name: 'Deliveries' })).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', /^en/);
});

const chunk = (name: string) => new RegExp(`/assets/${name}-[^/]+\\.js$`);

test('a page that takes longer than 1000 ms says that it is loading, and one that does not says nothing', async ({ page }) => {
  await page.goto('/deliveries');
  await expect(table(page)).toBeVisible();
  let arrive = () => {};
  const held = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  await page.route(chunk('sources-page'), async (route) => {
    await held;
    await route.continue();
  });
  // Measure with the page's clock, because a check by the test process takes an unknown time.
  await page.evaluate(() => {
    const seen: number[] = [];
    let clicked = 0;
    window.addEventListener('click', () => (clicked = performance.now()), true);
    new MutationObserver(() => {
      if (document.querySelector('[role=progressbar][aria-label="Page is loading"]')) seen.push(performance.now() - clicked);
    }).observe(document.body, { subtree: true, childList: true });
    Object.assign(window, { seen });
  });
  const seen = () => page.evaluate(() => (window as unknown as { seen: number[] }).seen);
  const link = (name: string) => page.getByRole('navigation', { name: 'Primary' }).getByRole('link', { name });
  const bar = page.getByRole('progressbar', { name: 'Page is loading' });
  await link('Sources').click();
  await expect(bar).toBeVisible();
  const [first] = await seen();
  expect(first).toBeGreaterThanOrEqual(999);
  await look(page, 'page-loading', 'desktop', '[role=progressbar]');
  arrive();
  await expect(page.getByRole('heading', { level: 1, name: 'Sources' })).toBeVisible();
  await expect(bar).toHaveCount(0);

  const { length } = await seen();
  await link('Deliveries').click();
  await expect(page.getByRole('heading', { level: 1, name: 'Deliveries' })).toBeVisible();
  for (const late of (await seen()).slice(length)) expect(late).toBeGreaterThanOrEqual(999);
});

test('a page of a build that is gone comes by a reload of its own, once', async ({ page, quiet }) => {
  quiet.expectNoise(BROKEN);
  await page.goto('/deliveries');
  await expect(table(page)).toBeVisible();
  // Simulate an update of the server: the file that the open page requests is gone, and the server's start
  // page names another build.
  await page.route(chunk('customers-page'), (route) => route.fulfill({ status: 404, body: 'gone' }));
  let isOld = true;
  await page.route('**/', async (route) => {
    if (!isOld || route.request().resourceType() === 'document') return route.fallback();
    isOld = false;
    await page.unroute(chunk('customers-page'));
    const answer = await route.fetch();
    const html = (await answer.text()).replace(/src="\/assets\/index-[^"]+"/, 'src="/assets/index-newer.js"');
    return route.fulfill({ contentType: 'text/html', body: html });
  });
  const loads: string[] = [];
  page.on('load', () => loads.push(new URL(page.url()).pathname));
  await page.getByRole('navigation', { name: 'Primary' }).getByRole('link', { name: 'Customers' }).click();
  await expect(page.getByRole('table', { name: 'Customers' })).toBeVisible();
  await expect.poll(() => loads).toEqual(['/customers']);
});

test('a page is reloaded again after the old build answered a reload', async ({ page, quiet }) => {
  quiet.expectNoise(BROKEN);
  await page.goto('/deliveries');
  await expect(table(page)).toBeVisible();
  // Simulate a roll-out: the server's start page already names the new build, but the reload gets the old one.
  await page.route(chunk('customers-page'), (route) => route.fulfill({ status: 404, body: 'gone' }));
  await page.route('**/', async (route) => {
    if (route.request().resourceType() === 'document') return route.fallback();
    const answer = await route.fetch();
    const html = (await answer.text()).replace(/src="\/assets\/index-[^"]+"/, 'src="/assets/index-newer.js"');
    return route.fulfill({ contentType: 'text/html', body: html });
  });
  const loads: string[] = [];
  page.on('load', () => loads.push(new URL(page.url()).pathname));
  const link = (name: string) => page.getByRole('navigation', { name: 'Primary' }).getByRole('link', { name });
  await link('Customers').click();
  await expect(page.getByRole('heading', { name: 'Something went wrong' })).toBeVisible();
  expect(loads).toEqual(['/customers']);
  // Some seconds must pass before another reload is allowed.
  await expect(async () => {
    await link('Deliveries').click();
    await link('Customers').click();
    await expect.poll(() => loads, { timeout: 2000 }).toHaveLength(2);
  }).toPass();
  await expect(page.getByRole('heading', { name: 'Something went wrong' })).toBeVisible();
  // Once its code is there, the page needs no reload.
  await page.unroute(chunk('customers-page'));
  await link('Deliveries').click();
  await link('Customers').click();
  await expect(page.getByRole('table', { name: 'Customers' })).toBeVisible();
  expect(loads).toEqual(['/customers', '/customers']);
});

test('an application whose files are missing says that it is being updated, and reloads until they are there', async ({ page, quiet }) => {
  quiet.expectNoise(BROKEN);
  let requests = 0;
  await page.route(chunk('index'), (route) => {
    requests += 1;
    return requests <= 2 ? route.fulfill({ status: 404, body: 'gone' }) : route.continue();
  });
  await page.goto('/deliveries');
  await expect(page.getByRole('status')).toHaveText(/^Waybill is being updated/);
  await expect(table(page)).toBeVisible();
  expect(requests).toBe(3);
  expect(await page.evaluate(() => sessionStorage.getItem('waybill.start-attempts'))).toBeNull();
});

test('an application whose files stay missing says what to do, in both themes', async ({ page, quiet }) => {
  quiet.expectNoise(BROKEN);
  await page.route(/\/assets\/.*\.(js|css)$/, (route) => route.fulfill({ status: 404, body: 'gone' }));
  await page.addInitScript(() => sessionStorage.setItem('waybill.start-attempts', '7'));
  for (const colorScheme of THEMES) {
    // A choice that differs from the system's theme.
    await page.addInitScript((theme) => localStorage.setItem('waybill.theme', theme), colorScheme);
    await page.emulateMedia({ colorScheme: colorScheme === 'dark' ? 'light' : 'dark' });
    await page.goto('/deliveries');
    await expect(page.getByRole('status')).toHaveText(/^Waybill couldn't be loaded/);
    await page.screenshot({ path: `results/files-missing-${colorScheme}.jpg`, type: 'jpeg', quality: 85 });
    const { violations, sideways } = await examine(page);
    expect.soft(violations, colorScheme).toEqual([]);
    expect.soft(sideways, colorScheme).toBeLessThanOrEqual(0);
  }
});

test('a page that cannot be had otherwise fails alone, and offers to reload', async ({ page, quiet }) => {
  quiet.expectNoise(BROKEN);
  await page.goto('/deliveries');
  await expect(table(page)).toBeVisible();
  await page.route(chunk('customers-page'), (route) => route.abort());
  await page.getByRole('navigation', { name: 'Primary' }).getByRole('link', { name: 'Customers' }).click();
  await expect(page.getByRole('heading', { name: 'Something went wrong' })).toBeVisible();
  await expect(page.getByRole('navigation', { name: 'Primary' })).toBeVisible();
  await look(page, 'page-failure');
  await page.unroute(chunk('customers-page'));
  await page.getByRole('button', { name: 'Reload' }).click();
  await expect(page.getByRole('table', { name: 'Customers' })).toBeVisible();
});

test('a palette that cannot be had leaves the page as it is', async ({ page, quiet }) => {
  quiet.expectNoise(BROKEN);
  await page.goto('/deliveries');
  await expect(table(page)).toBeVisible();
  await page.route(chunk('palette-dialog'), (route) => route.abort());
  await page.keyboard.press('Control+k');
  await expect(page.getByText("Part of this page couldn't be loaded.")).toBeVisible();
  await expect(table(page)).toBeVisible();
});

test('an app that crashed says so, and the reload brings it back', async ({ page, quiet }) => {
  quiet.expectNoise(/broken by a test|An error occurred in|React/);
  // Load the code of the Sources page beforehand. Otherwise the navigation would wait for it, and the app would
  // render again only after the theme can be read again.
  await page.goto('/sources');
  await expect(page.getByRole('heading', { level: 1, name: 'Sources' })).toBeVisible();
  await page.getByRole('navigation', { name: 'Primary' }).getByRole('link', { name: 'Deliveries' }).click();
  await expect(table(page)).toBeVisible();
  // Make reading the theme fail. The frame around every page reads the theme, so the whole app crashes. Do
  // this only on the click: earlier, the page would crash before it could be clicked.
  await page.evaluate(() => {
    const breakTheme = () =>
      Object.defineProperty(document.documentElement, 'dataset', {
        configurable: true,
        get() {
          throw new Error('broken by a test');
        },
      });
    window.addEventListener('click', breakTheme, { capture: true, once: true });
  });
  await page.getByRole('navigation', { name: 'Primary' }).getByRole('link', { name: 'Sources' }).click();
  // The navigation renders the app again, so now the app crashes.
  await expect(page).toHaveURL('/sources');
  await expect(page.getByText('Something went wrong and we are unable to show this page.')).toBeVisible();
  await page.evaluate(() => Reflect.deleteProperty(document.documentElement, 'dataset'));
  await lookInBothSizes(page, 'fatal');
  await page.getByRole('button', { name: 'Reload' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Sources' })).toBeVisible();
});

test('whoever is signed in sees their name, and the tag of the build', async ({ page }) => {
  await page.goto('/deliveries');
  const account = page.getByRole('region', { name: 'Account' });
  await expect(account).toContainText(admin.username);
  await expect(account).toContainText('v1.0.30');
});

test.describe('with colours of a person\'s own', () => {
  test.use({ contextOptions: { reducedMotion: 'reduce', forcedColors: 'active' } });

  test('what is chosen, marked or focused has a line where others have a tint', async ({ page }) => {
    const line = (locator: ReturnType<typeof page.locator>) =>
      locator.evaluate((it) => `${getComputedStyle(it).outlineStyle} ${getComputedStyle(it).outlineWidth}`);
    await page.goto('/deliveries');
    const rows = page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr');
    const box = rows.nth(0).getByRole('checkbox');
    await box.check();
    expect(await line(rows.nth(0))).toBe('solid 2px');
    expect(await line(rows.nth(1))).toMatch(/^none/);
    expect(await line(rows.nth(1).getByText(/^(Pending|Complete|Undelivered|Rejected)/).first())).toBe('solid 1px');
    expect(await line(page.getByRole('link', { name: 'Deliveries', exact: true }))).toBe('solid 2px');
    // The check mark has the color of text, not that of the box.
    const [mark, text] = await box.evaluate((it) => [
      getComputedStyle(it.parentElement!.querySelector('svg')!).color,
      getComputedStyle(document.body).color,
    ]);
    expect(mark).toBe(text);
    await page.keyboard.press('Tab');
    expect(await line(page.locator(':focus'))).toBe('solid 3px');
  });
});
