// Every screen in both sizes and both themes: axe finds nothing, nothing sticks out of the page, and a
// picture of it is saved in results/.
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { ask, importFile } from '../support/api.ts';
import { fixture } from '../support/deliveries-file.ts';
import { filterOf, toAddress } from '../support/filters.ts';
import { expect, test } from '../support/fixtures.ts';
import { SIZES, look } from '../support/look.ts';

const DONE = ['imported', 'imported_with_errors', 'failed'];

/** Imports a file and returns the address of its result. */
async function imported(page: Page, name: string, content: Buffer): Promise<string> {
  const { request } = page.context();
  const id = await importFile(request, name, content);
  const status = async () => (await ask(request, 'query($id: String!) { uploadLog(id: $id) { status } }', { id })).uploadLog.status;
  await expect.poll(async () => DONE.includes(await status())).toBe(true);
  return `/uploaded-details/${id}`;
}

for (const size of ['desktop', 'mobile'] as const) {
  const mobile = size === 'mobile';

  test.describe(size, () => {
    test.use({ viewport: SIZES[size], hasTouch: mobile, isMobile: mobile });

    test('sign-in, health and not found', async ({ page }) => {
      await page.goto('/login');
      await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
      await look(page, 'login', size);
      await page.goto('/health');
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await look(page, 'health', size);
      await page.goto('/no/such/page');
      await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
      await look(page, 'not-found', size);
    });

    test.describe('signed in', () => {
      test.use({ as: 'admin' });

      test('deliveries, filtered', async ({ page }) => {
        const filters = toAddress(
          filterOf('deliverystatus', '!equals', 'Pending'),
          filterOf('id', 'contains', '1', '2'),
          { key: 'scheduledatetime', operator: 'inDateRange', values: [{ label: 'The past', value: 'past' }] },
        );
        await page.goto(`/deliveries?${new URLSearchParams({ filters, sort: '-driverId' })}`);
        await expect(page.getByRole('region', { name: 'Deliveries' })).toHaveAttribute('aria-busy', 'false');
        await expect(page.getByText(/^1–\d+ of [\d,]+$/)).toBeVisible();
        await look(page, 'deliveries-filtered', size);
      });

      test('deliveries, and what opens over them', async ({ page }) => {
        await page.goto('/deliveries');
        await expect(page.getByText(/^1–25 of [\d,]+$/)).toBeVisible();
        await look(page, 'deliveries', size);
        await page.getByRole('button', { name: 'Filter', exact: true }).click();
        await expect(page.getByRole('dialog', { name: 'Filter' })).toBeVisible();
        await look(page, 'filter-menu', size, '[role=dialog]');
        await page.getByRole('dialog').getByRole('button', { name: 'Customer Name' }).click();
        await expect(page.getByRole('listbox').getByRole('option').first()).toBeVisible();
        await look(page, 'filter-customer', size, '[role=dialog]');
        await page.getByRole('button', { name: 'Back to the fields' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Dispatch Date and Time' }).click();
        await page.getByText('Custom', { exact: true }).click();
        await expect(page.getByLabel('From')).toBeVisible();
        await look(page, 'filter-dates', size, '[role=dialog]');
        await page.keyboard.press('Escape');
        await expect(page.getByRole('dialog')).toHaveCount(0);

        if (mobile) {
          // A wide screen already shows menu and search.
          await page.getByRole('button', { name: 'Open menu' }).click();
          await expect(page.getByRole('dialog', { name: 'Menu' })).toBeVisible();
          await look(page, 'menu', size, '[role=dialog]');
          await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
          await page.getByRole('button', { name: 'Search', exact: true }).click();
          await expect(page.getByRole('search').getByLabel('Delivery Doc')).toBeFocused();
          await look(page, 'quick-search', size);
          return;
        }
        // A narrow screen shows cards, so it has no columns, row height or shortcuts.
        await page.getByRole('button', { name: 'Columns' }).click();
        await expect(page.getByRole('dialog', { name: 'Columns' })).toBeVisible();
        await look(page, 'deliveries-columns', size, '[role=dialog]');
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: 'Row height' }).click();
        await expect(page.getByRole('menu')).toBeVisible();
        await look(page, 'deliveries-density', size, '[role=menu]');
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
        await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
        await look(page, 'shortcuts', size, '[role=dialog]');
      });

      test('a delivery that has been through something', async ({ page }) => {
        const where = [{ key: 'deliverystatus', operator: 'equals', values: ['Complete_With_Variance'] }];
        const query = 'query($page: PageOptions) { deliveries(page: $page) { id } }';
        const { deliveries } = await ask(page.context().request, query, { page: { where, limit: 1 } });
        const { id } = deliveries[0];
        await page.goto(`/deliveries?${new URLSearchParams({ filters: toAddress(filterOf('id', 'contains', id)) })}`);
        await page.getByRole('link', { name: new RegExp(id) }).first().click();
        await expect(page.getByRole('heading', { name: id, exact: true })).toBeVisible();
        await expect(page.getByRole('list', { name: 'Status timeline' }).getByRole('listitem').nth(1)).toBeVisible();
        await look(page, 'delivery', size);
      });

      test('a delivery that does not exist, and forbidden', async ({ page }) => {
        await page.goto('/view-delivery/no-such-doc');
        await expect(page.getByRole('heading', { name: 'Delivery not found' })).toBeVisible();
        await look(page, 'delivery-missing', size);
        await page.goto('/forbidden');
        await expect(page.getByRole('heading', { name: "You don't have access to this page" })).toBeVisible();
        await look(page, 'forbidden', size);
      });

      test('imports', async ({ page }) => {
        await imported(page, 'small.csv', readFileSync(fixture('small-utf8-comma.csv')));
        const lines = ['Delivery Doc,Shipment no.,Customer Name,Dispatch Date', 'A,S,Acme,23/11/2026', 'B,S,Acme,11/23/2026'];
        const broken = await imported(page, 'two-orders.csv', Buffer.from(lines.join('\n')));
        await page.goto('/upload-deliveries');
        await expect(page.getByRole('link', { name: 'two-orders.csv' }).first()).toBeVisible();
        await expect(page.getByRole('button', { name: 'Choose file' }).first()).toBeEnabled();
        await look(page, 'import', size);
        // On a wide screen, the button's name also contains the shortcut.
        await page.getByRole('button', { name: 'Search or go to' }).locator('visible=true').click();
        await page.getByRole('dialog').getByRole('combobox').fill('DR-');
        await expect(page.getByRole('option', { name: /^DR-0/ }).first()).toBeVisible();
        await look(page, 'palette', size, '[role=dialog]');
        await page.goto(broken);
        await expect(page.getByRole('alert').filter({ hasText: '11/23/2026' })).toBeVisible();
        await look(page, 'import-failed', size);
      });
    });
  });
}
