// Messages to another system: an administrator adds an endpoint, its receiver refuses messages, and the
// administrator corrects and resends them.
import type { Page } from '@playwright/test';
import { ask } from '../support/api.ts';
import { expect, test } from '../support/fixtures.ts';
import { lookInBothSizes } from '../support/look.ts';
import { Receiver } from '../support/receiver.ts';

test.use({ as: 'admin' });

const CREATE = 'mutation($input: CreateDeliveryInput!) { createDelivery(input: $input) { id } }';

async function create(page: Page, id: string) {
  const head = {
    shipmentnumber: `S-${id}`,
    customername: 'Aling Nena Store',
    customeraddress: '12 Mabini St, Pasig',
    trucker: 'Isla Express',
    scheduledatetime: new Date(Date.now() + 86_400_000).toISOString(),
  };
  const items = [{ itemNumber: '1', quantity: 5 }];
  await ask(page.context().request, CREATE, { input: { id, ...head, items } });
}

test('an endpoint is added, its receiver refuses, and what it refused is mended and resent', async ({ page }) => {
  test.setTimeout(180_000);
  const receiver = await Receiver.open(() => 'Reference Doc is unknown');
  const tag = Math.random().toString(36).slice(2, 8);
  const ids = [1, 2, 3].map((n) => `DL-${tag}-${n}`);
  const group = page.getByRole('listitem').filter({ hasText: '422: Reference Doc is unknown' });

  await test.step('adds an endpoint and tests it', async () => {
    await page.goto('/admin/settings/dead-letters?tab=endpoints');
    await page.getByRole('button', { name: 'Add endpoint' }).first().click();
    const form = page.getByRole('dialog', { name: 'Add endpoint' });
    await form.getByLabel('Name').fill(`ERP ${tag}`);
    await form.getByLabel('Address').fill(receiver.url);
    await lookInBothSizes(page, 'dead-letters-endpoint-form', '[role=dialog]');
    await form.getByRole('button', { name: 'Add endpoint' }).click();
    await expect(page.getByRole('textbox', { name: 'Secret' })).toHaveValue(/^whsec_/);
    await page.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('region', { name: `ERP ${tag}` }).getByRole('button', { name: 'Send test' }).click();
    await expect(page.getByText('422: Reference Doc is unknown')).toBeVisible();
    await lookInBothSizes(page, 'dead-letters-endpoints');
  });

  await test.step('sees what was refused, by error and one by one', async () => {
    for (const id of ids) await create(page, id);
    await expect(async () => {
      await page.goto('/admin/settings/dead-letters');
      // Look for the whole text of the button, because the name of the endpoint may contain the same number.
      await expect(group.getByRole('button', { name: 'Resend 3' })).toBeVisible({ timeout: 2000 });
    }).toPass();
    await lookInBothSizes(page, 'dead-letters');
    await group.getByRole('link', { name: '422: Reference Doc is unknown' }).click();
    await expect(page.getByRole('link', { name: ids[0]! })).toBeVisible();
    await lookInBothSizes(page, 'dead-letters-list');
    await page.getByRole('link', { name: ids[0]! }).click();
    await expect(page.getByText('The receiver refused this message and will refuse it again', { exact: false })).toBeVisible();
    await lookInBothSizes(page, 'dead-letter');
  });

  await test.step('resends the group and comes back to the receipt', async () => {
    receiver.answer = () => undefined;
    await page.goto('/admin/settings/dead-letters');
    await group.getByRole('button', { name: 'Resend 3' }).click();
    const dialog = page.getByRole('dialog', { name: 'Resend messages' });
    await expect(dialog).toContainText('3 messages will be sent again');
    await lookInBothSizes(page, 'dead-letters-resend', '[role=dialog]');
    await dialog.getByRole('button', { name: 'Resend 3' }).click();
    await expect(page.getByText('Resending started')).toBeVisible();
    await page.goto('/deliveries');
    await expect.poll(() => receiver.taken.size).toBe(3);
    await page.goto('/admin/settings/dead-letters');
    await expect(page.getByText('3 of 3 scheduled to be sent again')).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Nothing to fix' })).toBeVisible();
    await page.getByRole('navigation', { name: 'Dead letters' }).getByRole('link', { name: /^Sent/ }).click();
    for (const id of ids) await expect(page.getByRole('link', { name: id })).toBeVisible();
    const told = [...receiver.taken.values()].map((body) => JSON.parse(body));
    expect(told.map(({ data }) => data.deliveryId).sort()).toEqual(ids);
  });

  await receiver.close();
});
