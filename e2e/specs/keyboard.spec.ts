// Without a mouse: every step works with the keyboard alone, and the focus is always visible.
import type { Page } from '@playwright/test';
import { admin, ask, signIn } from '../support/api.ts';
import { filterOf, toAddress } from '../support/filters.ts';
import { expect, test } from '../support/fixtures.ts';

/** Presses Tab until the control has the focus, as a person would. */
async function tabTo(page: Page, name: string | RegExp, role: 'link' | 'button' | 'textbox' | 'combobox') {
  const target = page.getByRole(role, { name, exact: typeof name === 'string' });
  for (let presses = 0; presses < 120; presses += 1) {
    if (await target.evaluateAll((found) => found.includes(document.activeElement as HTMLElement))) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${role} ${name} is out of reach`);
}

test('sign in, find a delivery in the palette, read it, go back and sign out', async ({ page, playwright, baseURL }) => {
  const api = await playwright.request.newContext({ baseURL: baseURL! });
  await signIn(api);
  const { deliveries } = await ask(api, '{ deliveries(page: { limit: 1 }) { id customername } }');
  await api.dispose();
  const [{ id, customername }] = deliveries;

  await page.goto('/login?redirectTo=/deliveries');
  await expect(page.getByLabel('Username')).toBeFocused();
  await page.keyboard.type(admin.username);
  await page.keyboard.press('Tab');
  await expect(page.getByLabel('Password', { exact: true })).toBeFocused();
  await page.keyboard.type(admin.password);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('table', { name: 'Deliveries' })).toBeVisible();
  await expect(page.locator('#redwood-announcer')).toHaveText('Deliveries');

  await test.step('the first thing Tab reaches in a fresh page skips to the content', async () => {
    await page.reload();
    await expect(page.getByRole('table', { name: 'Deliveries' })).toBeVisible();
    await page.keyboard.press('Tab');
    await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
    await expect(page.getByRole('link', { name: 'Skip to content' })).toBeInViewport();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('main')).toBeFocused();
  });

  await test.step('the palette finds it', async () => {
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Command palette' });
    await expect(palette.getByRole('combobox')).toBeFocused();
    await page.keyboard.type(id);
    await expect(palette.getByRole('option', { name: new RegExp(`^${id} `) })).toBeVisible();
    await expect(palette.getByRole('option', { selected: true })).toContainText(id);
    await page.keyboard.press('Enter');
    await expect(palette).toBeHidden();
    await expect(page).toHaveURL(`/view-delivery/${id}`);
    await expect(page.getByRole('heading', { name: id, exact: true })).toBeVisible();
    await expect(page.getByRole('main')).toContainText(customername);
  });

  await test.step('in the list the rows are walked over, and filters set and removed', async () => {
    await tabTo(page, 'Back to Deliveries', 'link');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL('/deliveries');
    const rows = page.getByRole('table', { name: 'Deliveries' }).locator('tbody').getByRole('link');
    await expect(rows.first()).toBeVisible();
    // The palette opened the delivery, not a row of the list, so the focus goes to the heading.
    await expect(page.getByRole('heading', { level: 1, name: 'Deliveries' })).toBeFocused();
    await page.keyboard.press('j');
    await expect(rows.nth(0)).toBeFocused();
    await page.keyboard.press('j');
    await expect(rows.nth(1)).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/view-delivery/);
    await tabTo(page, 'Back to Deliveries', 'link');
    await page.keyboard.press('Enter');
    await expect(rows.nth(1)).toBeFocused();
    await page.keyboard.press('k');
    await expect(rows.nth(0)).toBeFocused();

    await page.keyboard.press('f');
    const editor = page.getByRole('dialog');
    await page.keyboard.type('delivery doc');
    await page.keyboard.press('Enter');
    await expect(editor.getByRole('combobox', { name: 'Value' })).toBeFocused();
    await page.keyboard.type(id);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await expect(editor).toBeHidden();
    await expect.poll(() => rows.allInnerTexts()).toEqual([id]);
    await tabTo(page, /^Remove filter: Delivery Doc/, 'button');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL('/deliveries');
    await expect(rows).toHaveCount(25);
  });

  await test.step('the shortcuts can be looked up and turned off', async () => {
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await expect(help).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(help).toBeHidden();
  });

  await tabTo(page, 'Logout', 'button');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/login');
  await expect(page.getByLabel('Username')).toBeFocused();
});

const firstLink = (page: Page) => page.getByRole('table', { name: 'Deliveries' }).locator('tbody').getByRole('link').first();

test.describe('the focus', () => {
  test.use({ as: 'admin' });

  test('stays on the button that reached the last or the first page', async ({ page }) => {
    await page.goto('/deliveries?limit=100');
    const pages = page.getByRole('navigation', { name: 'Pages' });
    for (const name of ['Next page', 'Previous page']) {
      const button = pages.getByRole('button', { name });
      await expect(button).toBeEnabled();
      await button.focus();
      for (let presses = 0; presses < 20 && (await button.isEnabled()); presses += 1) {
        const before = await pages.innerText();
        await page.keyboard.press('Enter');
        await expect.poll(() => pages.innerText()).not.toBe(before);
      }
      await expect(button).toBeDisabled();
      await expect(button).toBeFocused();
    }
  });

  test('gets to Undo by a key after a bulk change, and back', async ({ page }) => {
    const { request } = page.context();
    const id = `KEY-${Math.random().toString(36).slice(2, 8).toUpperCase()}`;
    const input = {
      id,
      shipmentnumber: 'S-KEY',
      customername: 'Quintessa Store',
      customeraddress: '14 Mabini Street, Marikina',
      trucker: 'Amihan Haulers',
      scheduledatetime: new Date(Date.now() + 86_400_000).toISOString(),
      items: [{ itemNumber: '1', description: 'Jasmine rice 25 kg', unit: 'bag', quantity: 10 }],
    };
    await ask(request, 'mutation($input: CreateDeliveryInput!) { createDelivery(input: $input) { id } }', { input });
    const filters = toAddress(filterOf('id', 'equals', id));
    await page.goto(`/deliveries?${new URLSearchParams({ filters })}`);
    await expect(firstLink(page)).toHaveText(id);
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('a');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Driver ID' }).focus();
    await page.keyboard.type('DRV');
    await expect(dialog.getByRole('option').first()).toBeVisible();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await expect(dialog.getByRole('status').filter({ hasText: /^1 done$/ })).toBeFocused();
    await dialog.getByRole('button', { name: 'Close' }).last().press('Enter');
    await expect(dialog).toBeHidden();
    await expect(page.getByText('1 delivery changed.')).toBeVisible();
    await page.keyboard.press('F8');
    await expect(page.getByRole('button', { name: 'Undo', exact: true })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByText('1 delivery restored.')).toBeVisible();
    await expect(page.locator('body')).not.toBeFocused();
  });

  /** Each leaves the screen without the control that was used. */
  const steps: [string, string, (page: Page) => Promise<void>][] = [
    [
      'a column is hidden',
      '/deliveries',
      async (page) => {
        await page.getByRole('button', { name: 'Columns', exact: true }).press('Enter');
        await page.getByRole('checkbox', { name: 'Trucker' }).press('Space');
        await expect(page.getByRole('checkbox', { name: 'Trucker' })).not.toBeChecked();
      },
    ],
    [
      'the menu of filters goes back to the fields',
      '/deliveries',
      async (page) => {
        await page.keyboard.press('f');
        await page.keyboard.type('delivery doc');
        await page.keyboard.press('Enter');
        await page.getByRole('button', { name: 'Back to the fields' }).press('Enter');
        await expect(page.getByRole('textbox', { name: 'Find a field' })).toBeVisible();
      },
    ],
    [
      'a value of a filter is removed',
      '/deliveries',
      async (page) => {
        await page.keyboard.press('f');
        await page.keyboard.type('delivery doc');
        await page.keyboard.press('Enter');
        await expect(page.getByRole('combobox', { name: 'Value' })).toBeFocused();
        await page.keyboard.type('KEY-1');
        await page.keyboard.press('Enter');
        await page.getByRole('button', { name: 'Remove KEY-1' }).press('Enter');
        await expect(page.getByRole('button', { name: 'Remove KEY-1' })).toHaveCount(0);
      },
    ],
    [
      'Esc closes the quick search',
      '/deliveries',
      async (page) => {
        await page.keyboard.press('/');
        await page.keyboard.type('KEY-1');
        await page.keyboard.press('Escape');
        await expect(page.getByRole('search').getByRole('textbox')).toHaveValue('');
      },
    ],
    [
      'the button of the quick search closes it',
      '/deliveries',
      async (page) => {
        await page.keyboard.press('/');
        await page.keyboard.type('KEY-1');
        await page.getByRole('button', { name: 'Close search' }).press('Enter');
        await expect(page.getByRole('button', { name: 'Close search' })).toHaveCount(0);
      },
    ],
    [
      'the quick search of a phone closes',
      '/deliveries',
      async (page) => {
        await page.setViewportSize({ width: 390, height: 844 });
        await page.getByRole('button', { name: 'Search', exact: true }).press('Enter');
        await expect(page.getByRole('search').getByRole('textbox')).toBeFocused();
        await page.keyboard.press('Escape');
        await expect(page.getByRole('search').getByRole('textbox')).toBeHidden();
      },
    ],
    [
      'a member of a query is removed',
      '/query-lab',
      async (page) => {
        const remove = page.getByRole('button', { name: /^Remove / });
        const before = await remove.first().getAttribute('aria-label');
        await remove.first().press('Enter');
        await expect(page.getByRole('button', { name: before!, exact: true })).toHaveCount(0);
      },
    ],
    [
      'a query is closed',
      '/query-lab',
      async (page) => {
        const close = page.getByRole('navigation', { name: 'Query tabs' }).getByRole('button', { name: /^Close / });
        await page.getByRole('button', { name: 'New query' }).press('Enter');
        await expect(close).toHaveCount(2);
        await close.last().press('Enter');
        await expect(close).toHaveCount(1);
      },
    ],
  ];

  test('is on the page after each control that removes or moves itself', async ({ page }) => {
    for (const [name, address, use] of steps) {
      await test.step(name, async () => {
        await page.setViewportSize({ width: 1280, height: 720 });
        await page.goto(address);
        if (address === '/deliveries') await expect(firstLink(page)).toBeVisible();
        await use(page);
        await expect(page.locator('body')).not.toBeFocused();
      });
    }
  });
});

test.describe('a dialog that is closed gives the focus back to what opened it', () => {
  test.use({ as: 'admin' });

  test('on a wide screen, and the menu of a narrow one', async ({ page }) => {
    await page.goto('/deliveries');
    await expect(page.getByRole('table', { name: 'Deliveries' })).toBeVisible();
    for (const [opener, dialog] of [
      ['Search or go to Ctrl K', 'Command palette'],
      ['Keyboard shortcuts', 'Keyboard shortcuts'],
      ['Filter', 'Filter'],
      ['Columns', 'Columns'],
    ] as const) {
      await tabTo(page, opener, 'button');
      await page.keyboard.press('Enter');
      await expect(page.getByRole('dialog', { name: dialog })).toBeVisible();
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toHaveCount(0);
      await expect(page.getByRole('button', { name: opener, exact: true })).toBeFocused();
    }

    await page.setViewportSize({ width: 390, height: 844 });
    await tabTo(page, 'Open menu', 'button');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('dialog', { name: 'Menu' })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('button', { name: 'Open menu' })).toBeFocused();
  });
});
