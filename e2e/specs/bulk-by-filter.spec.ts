// Everything that a filter finds is changed at once: counted before, with a receipt after, and put back.
import { ask } from '../support/api.ts';
import { expect, test } from '../support/fixtures.ts';
import { look } from '../support/look.ts';

test.use({ as: 'admin' });

test('ten deliveries are put off by filter, with a count, a receipt and an undo', async ({ page }) => {
  const tag = Math.random().toString(36).slice(2, 8).toUpperCase();
  const id = (number: number) => `A-${tag}-${number}`;
  const request = page.context().request;
  const due = new Date(Date.now() + 3_600_000).toISOString();
  for (let number = 0; number < 10; number += 1) {
    const input = {
      id: id(number),
      shipmentnumber: `S-${tag}`,
      customername: 'Sari-Sari Luzviminda',
      scheduledatetime: due,
      items: [{ itemNumber: '1', quantity: 1 }],
    };
    const make = 'mutation($input: CreateDeliveryInput!) { createDelivery(input: $input) { id } }';
    await ask(request, make, { input });
  }
  const fail = 'mutation($input: RecordOutcomeInput!) { recordOutcome(input: $input) { id } }';
  for (const number of [3, 7]) {
    const input = { deliveryId: id(number), clientEventId: crypto.randomUUID(), status: 'Undelivered', outcomeReason: 'site_closed', outcomeNote: 'Shut' };
    await ask(request, fail, { input });
  }
  const dispatched = async (number: number) => {
    const query = 'query($id: String!) { delivery(id: $id) { scheduledatetime } }';
    return new Date((await ask(request, query, { id: id(number) })).delivery.scheduledatetime).getTime();
  };

  const filters = Buffer.from(JSON.stringify([{ key: 'id', operator: 'contains', values: [{ label: tag, value: tag }] }])).toString('base64');
  await page.goto(`/deliveries?${new URLSearchParams({ filters })}`);
  await page.getByRole('checkbox', { name: `Select ${id(0)}` }).check();
  await page.getByRole('button', { name: 'Select all 10 that match' }).click();
  await expect(page.getByRole('group', { name: 'Selected rows' })).toContainText('All 10 that match');
  await look(page, 'deliveries-all-selected');
  await page.keyboard.press('d');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Count them' }).click();
  await expect(dialog.getByRole('status')).toContainText('8 of 10 deliveries fit');
  await expect(dialog.getByRole('list', { name: 'Left out' })).toHaveText("2aren't Pending");
  await look(page, 'deliveries-all-counted', 'desktop', '[role=dialog]');

  await dialog.getByRole('button', { name: 'Change 8' }).click();
  await expect(dialog.getByRole('status')).toContainText('8 changed, 2 left out');
  expect(await dispatched(0)).toBeGreaterThan(new Date(due).getTime());
  await look(page, 'deliveries-all-receipt', 'desktop', '[role=dialog]');
  // Somebody moves one of them once more meanwhile.
  const move = 'mutation($input: ChangeDispatchTimesInput!) { changeDispatchTimes(input: $input) { ok } }';
  const later = new Date(Date.now() + 30 * 86_400_000).toISOString();
  await ask(request, move, { input: { changes: [{ deliveryId: id(5), scheduledatetime: later }] } });

  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('7 deliveries restored. 1 not undone: someone changed it since.')).toBeVisible();
  expect(await dispatched(0)).toBe(new Date(due).getTime());
  expect(await dispatched(5)).toBe(new Date(later).getTime());
});
