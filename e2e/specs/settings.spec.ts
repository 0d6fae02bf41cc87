// System settings and the logo with the keyboard alone, from the list to their effects.
import type { Page } from '@playwright/test';
import { officeAccount } from '../support/accounts.ts';
import { ask, signIn } from '../support/api.ts';
import { expect, test } from '../support/fixtures.ts';
import { press, reach } from '../support/keyboard.ts';
import { lookInBothSizes } from '../support/look.ts';
import { fact } from '../support/screens.ts';

test.use({ as: 'admin' });

const ADMIN_LIST = '/admin/settings/system-settings';
const VALUE = 'query($id: String!) { setting: findSystemSettingById(id: $id) { value } }';
const UPDATE = 'mutation($input: UpdateSettingValueInput!) { updateSettingValue(input: $input) { id } }';

/** The settings that these tests change, with the values that all other tests expect. */
const DEFAULTS = {
  'delivery-max-attempts': '3',
  'delivery-over-delivery': 'false',
  'import-earliest-date': '2000-01-01',
  'import-paused-until': '2000-01-01T00:00',
  'driver-logs-keep-days': '365',
};

test.afterAll(async ({ playwright }) => {
  const request = await playwright.request.newContext({ baseURL: process.env.WAYBILL_URL! });
  await signIn(request);
  for (const [id, value] of Object.entries(DEFAULTS)) await ask(request, UPDATE, { input: { id, value } });
  await request.dispose();
});

async function valueOf(page: Page, id: string): Promise<string> {
  return (await ask(page.context().request, VALUE, { id })).setting.value;
}

/** Opens a setting of the list by its name, with the keyboard only. */
async function openSetting(page: Page, name: string) {
  await page.goto(ADMIN_LIST);
  await press(page, page.getByRole('link', { name, exact: true }));
  await expect(page.getByRole('heading', { level: 2, name, exact: true })).toBeVisible();
}

const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true });

async function expectSaved(page: Page) {
  await expect(page.getByText('Update Completed!')).toBeVisible();
  await expect(page).toHaveURL(ADMIN_LIST);
}

test('an administrator changes a number, a date and a yes or no', async ({ page }) => {
  test.setTimeout(120_000);
  await test.step('a number', async () => {
    await page.goto(ADMIN_LIST);
    await expect(page.getByRole('link', { name: 'Attempts per delivery' })).toBeVisible();
    await lookInBothSizes(page, 'settings');
    await openSetting(page, 'Attempts per delivery');
    const field = page.getByLabel('Edit Value');
    await expect(save(page)).toBeDisabled();
    await reach(page, field);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('101');
    await press(page, save(page));
    await expect(page.getByText('Value is too high')).toBeVisible();
    await expect(field).toBeFocused();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Backspace');
    await press(page, save(page));
    await expect(page.getByText('Value is required')).toBeVisible();
    await page.keyboard.type('5');
    await page.keyboard.press('Enter');
    await expectSaved(page);
    expect(await valueOf(page, 'delivery-max-attempts')).toBe('5');
    await expect(page.getByRole('row', { name: /Attempts per delivery/ })).toContainText('maria');
  });

  await test.step('a date', async () => {
    await openSetting(page, 'Earliest dispatch date');
    await reach(page, page.getByLabel('Month'));
    await page.keyboard.type('02302026');
    await press(page, save(page));
    await expect(page.getByText('Inputted Date is Invalid')).toBeVisible();
    await expect(page.getByLabel('Month')).toBeFocused();
    await lookInBothSizes(page, 'setting-date');
    await page.keyboard.type('02012001');
    await press(page, save(page));
    await expectSaved(page);
    expect(await valueOf(page, 'import-earliest-date')).toBe('2001-02-01');
    await expect(page.getByRole('row', { name: /Earliest dispatch date/ })).toContainText('Feb 1, 2001');
  });

  await test.step('a yes or no', async () => {
    const name = 'Allow over-delivery';
    await openSetting(page, name);
    const box = page.getByRole('switch', { name: 'Edit Value' });
    await expect(box).not.toBeChecked();
    await press(page, box, 'Space');
    await expect(box).toBeChecked();
    await lookInBothSizes(page, 'setting-yes-no');
    await press(page, save(page));
    await expectSaved(page);
    expect(await valueOf(page, 'delivery-over-delivery')).toBe('true');
    await openSetting(page, name);
    await expect(fact(page, 'Details', 'Saved value')).toHaveText('Yes');
    await expect(page.getByRole('region', { name: 'Earlier values' })).toContainText('No → Yes');
  });

  await test.step('a date with a time', async () => {
    await openSetting(page, 'Imports paused until');
    const field = page.getByLabel('Edit Value');
    await expect(field).toHaveAttribute('type', 'datetime-local');
    await reach(page, field);
    // The field limits the year to four digits, so after the fourth digit the browser moves on to the hour.
    await page.keyboard.type('030420200506PM');
    await press(page, save(page));
    await expectSaved(page);
    expect(await valueOf(page, 'import-paused-until')).toBe('2020-03-04T17:06');
  });
});

test('two people who edit one setting do not overwrite each other', async ({ page }) => {
  await openSetting(page, 'Days to keep the driver log');
  await reach(page, page.getByLabel('Edit Value'));
  await page.keyboard.press('Control+a');
  await page.keyboard.type('200');
  await ask(page.context().request, UPDATE, { input: { id: 'driver-logs-keep-days', value: '300' } });
  await page.keyboard.press('Enter');
  await expect(page.getByText(/maria changed this on/)).toBeVisible();
  await press(page, page.getByRole('button', { name: 'Reload' }));
  await expect(page.getByLabel('Edit Value')).toHaveValue('300');
});

test('a planner has the settings meant for planners, and no other', async ({ page, browser, baseURL }) => {
  const planner = await officeAccount(page.context().request, `plan-${Date.now()}`, ['transport_planner']);
  const context = await browser.newContext({ baseURL: baseURL! });
  await signIn(context.request, planner);
  const own = await context.newPage();
  await own.goto('/deliveries');
  await press(own, own.getByRole('navigation', { name: 'Primary' }).getByRole('link', { name: 'Settings' }));
  await expect(own).toHaveURL('/system-settings');
  await expect(own.getByRole('link', { name: 'Attempts per delivery' })).toBeVisible();
  await expect(own.getByRole('link', { name: 'Allow over-delivery' })).toHaveCount(0);
  await lookInBothSizes(own, 'settings-planner');

  await press(own, own.getByRole('link', { name: 'Attempts per delivery' }));
  await reach(own, own.getByLabel('Edit Value'));
  await lookInBothSizes(own, 'setting-planner');
  await own.keyboard.press('Control+a');
  await own.keyboard.type('4');
  await own.keyboard.press('Enter');
  await expect(own.getByText('Update Completed!')).toBeVisible();
  await expect(own).toHaveURL('/system-settings');
  expect(await valueOf(page, 'delivery-max-attempts')).toBe('4');

  await own.goto('/system-settings/delivery-over-delivery');
  await expect(own.getByRole('heading', { name: 'Setting not found' })).toBeVisible();
  await own.goto(ADMIN_LIST);
  await expect(own).toHaveURL(/^[^?]*\/forbidden/);
  await context.close();
});

/** Returns a PNG picture of two colors, drawn by the browser. */
async function png(page: Page, width = 260, height = 80): Promise<Buffer> {
  const address = await page.evaluate(
    ([w, h]) => {
      const canvas = Object.assign(document.createElement('canvas'), { width: w, height: h });
      const brush = canvas.getContext('2d');
      if (!brush) throw new Error('nothing to draw with');
      brush.fillStyle = 'teal';
      brush.fillRect(0, 0, w / 2, h);
      brush.fillStyle = 'orange';
      brush.fillRect(w / 2, 0, w / 2, h);
      return canvas.toDataURL('image/png');
    },
    [width, height] as const,
  );
  return Buffer.from(address.slice(address.indexOf(',') + 1), 'base64');
}

test('a logo goes from a file to every drawer, and each step may fail once', async ({ page, quiet }) => {
  test.setTimeout(120_000);
  quiet.expectNoise(/Failed to load resource|500 from/);
  await page.goto('/admin/settings/edit-logo');
  await expect(page.getByRole('group', { name: 'Add logo:' })).toBeVisible();
  await expect(save(page)).toBeDisabled();

  const chooser = page.waitForEvent('filechooser');
  await press(page, page.getByRole('button', { name: 'Choose file' }));
  await (await chooser).setFiles({ name: 'habagat.gif', mimeType: 'image/gif', buffer: Buffer.from('GIF89a') });
  await expect(page.getByText('Invalid file').first()).toBeVisible();

  const again = page.waitForEvent('filechooser');
  await press(page, page.getByRole('button', { name: 'Choose file' }));
  await (await again).setFiles({ name: 'habagat.png', mimeType: 'image/png', buffer: await png(page) });
  await expect(page.getByRole('group', { name: 'Dark theme' }).getByRole('img')).toBeVisible();
  await reach(page, page.getByRole('slider', { name: 'Size, slider' }));
  for (let steps = 0; steps < 14; steps += 1) await page.keyboard.press('ArrowLeft');
  await expect(page.getByRole('spinbutton', { name: 'Size' })).toHaveValue('116');
  await reach(page, page.getByRole('spinbutton', { name: 'Gap below logo' }));
  await page.keyboard.press('Control+a');
  await page.keyboard.type('31');
  await expect(page.getByText('Gap below logo is too high')).toBeVisible();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('12');
  await lookInBothSizes(page, 'logo');

  const isMutation = (name: string) => (body: string | null) => body?.includes(`mutation ${name}`) ?? false;
  const steps = [
    { path: '**/request-logo-upload-link', fails: () => true, text: 'upload url request failed' },
    { path: '**/objects/**', fails: () => true, text: 'logo upload failed' },
    { path: '**/graphql', fails: isMutation('MutatePresignedUrl'), text: 'Failed to request presigned url' },
    { path: '**/graphql', fails: isMutation('UpdateSettingValue'), text: 'Failed to update logo' },
  ];
  for (const { path, fails, text } of steps) {
    await test.step(text, async () => {
      await page.route(path, (route) =>
        fails(route.request().postData()) ? route.abort('connectionreset') : route.continue(),
      );
      await press(page, save(page));
      await expect(page.getByRole('main').getByRole('alert')).toContainText(text);
      await expect(page.getByText(text).first()).toBeVisible();
      await expect(save(page)).toBeEnabled();
      await page.unroute(path);
    });
  }

  await press(page, save(page));
  await expect(page.getByText('Logo updated')).toBeVisible();
  await expect(save(page)).toBeDisabled();
  await expect(page.getByRole('group', { name: 'Change logo:' })).toBeVisible();
  const value = JSON.parse(await valueOf(page, 'customer-logo-information'));
  expect(value).toMatchObject({ size: 116, gap: 12, vertical: 0 });
  expect(value.url).toMatch(/\/logo\/[0-9a-f]{64}\.png$/);
  expect(value.urlObject).not.toContain('?');

  // The open page shows the logo in its drawer immediately, and so does every page that is opened later.
  const drawn = (at: Page) =>
    at
      .locator('[data-logo-box] img')
      .first()
      .evaluate((img: HTMLImageElement) => [img.complete && img.naturalWidth > 0, new URL(img.src).pathname]);
  const path = new URL(value.url, 'http://waybill').pathname;
  await expect.poll(() => drawn(page)).toEqual([true, path]);
  await page.goto('/deliveries');
  await expect.poll(() => drawn(page)).toEqual([true, path]);

  await test.step('without a new file the existing one is kept', async () => {
    await page.goto('/admin/settings/edit-logo');
    await reach(page, page.getByRole('spinbutton', { name: 'Vertical align' }));
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await press(page, save(page));
    await expect(page.getByText('Logo updated')).toBeVisible();
    const now = JSON.parse(await valueOf(page, 'customer-logo-information'));
    expect(now).toEqual({ ...value, vertical: 2 });
  });
});
