// A bulk change of all deliveries that match a filter: counted before, reported afterwards, and undone.
import type { APIRequestContext } from '@playwright/test';
import { ask, importFile } from '../support/api.ts';
import { filterOf, toAddress } from '../support/filters.ts';
import { expect, test } from '../support/fixtures.ts';
import { look } from '../support/look.ts';

test.use({ as: 'admin' });

/** The number of deliveries to change. WAYBILL_E2E_BULK=100000 is the maximum of one bulk change. */
const MANY = Number(process.env.WAYBILL_E2E_BULK ?? 10);
const PATIENCE = 15_000 + MANY * 12;
const said = (count: number) => count.toLocaleString('en-US');

/** Imports a file of `MANY` pending deliveries with the dispatch time `due`. */
async function imported(request: APIRequestContext, tag: string, id: (number: number) => string, due: string) {
  const local = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Asia/Manila', dateStyle: 'short', timeStyle: 'short' }).format(new Date(due));
  const rows = Array.from({ length: MANY }, (_, at) =>
    [id(at), `S-${tag}-${Math.floor(at / 100)}`, 'Sari-Sari Luzviminda', 'Amihan Haulers', local, '1', '1'].join(','),
  );
  const head = 'Delivery Doc,Shipment no.,Customer Name,Trucker,Dispatch Date and Time,Item Number,Quantity';
  const log = await importFile(request, `${tag}.csv`, Buffer.from([head, ...rows].join('\n')));
  const query = 'query($id: String!) { uploadLog(id: $id) { status } }';
  const status = async () => (await ask(request, query, { id: log })).uploadLog.status;
  await expect.poll(status, { timeout: PATIENCE }).toBe('imported');
}

test('all that a filter finds is put off, with a count, a receipt and an undo', async ({ page }) => {
  test.setTimeout(60_000 + 6 * PATIENCE);
  const tag = Math.random().toString(36).slice(2, 8).toUpperCase();
  const id = (number: number) => `A-${tag}-${number}`;
  const request = page.context().request;
  const due = new Date(Math.ceil(Date.now() / 60_000) * 60_000 + 3_600_000).toISOString();
  await imported(request, tag, id, due);
  const fail = 'mutation($input: RecordOutcomeInput!) { recordOutcome(input: $input) { id } }';
  for (const number of [3, 7]) {
    const input = { deliveryId: id(number), clientEventId: crypto.randomUUID(), status: 'Undelivered', outcomeReason: 'site_closed', outcomeNote: 'Shut' };
    await ask(request, fail, { input });
  }
  const dispatched = async (number: number) => {
    const query = 'query($id: String!) { delivery(id: $id) { scheduledatetime } }';
    return new Date((await ask(request, query, { id: id(number) })).delivery.scheduledatetime).getTime();
  };

  const filters = toAddress(filterOf('id', 'contains', tag));
  await page.goto(`/deliveries?${new URLSearchParams({ filters })}`);
  await page.getByRole('checkbox', { name: `Select A-${tag}` }).first().check();
  await page.getByRole('button', { name: /^Select all (?:10 )?that match/ }).click();
  await expect(page.getByRole('group', { name: 'Selected rows' })).toContainText(/All (?:10 )?that match/);
  await look(page, 'deliveries-all-selected');
  await page.keyboard.press('d');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Count deliveries' }).click();
  await expect(dialog.getByRole('status')).toContainText(`${said(MANY - 2)} of ${said(MANY)} deliveries can be changed`, { timeout: PATIENCE });
  await expect(dialog.getByRole('list', { name: 'Skipped' })).toHaveText("2aren't Pending");
  await look(page, 'deliveries-all-counted', 'desktop', '[role=dialog]');

  await dialog.getByRole('button', { name: `Change ${said(MANY - 2)}` }).click();
  await expect(dialog.getByRole('status')).toContainText(`${said(MANY - 2)} changed, 2 skipped`, { timeout: PATIENCE });
  expect(await dispatched(0)).toBeGreaterThan(new Date(due).getTime());
  await look(page, 'deliveries-all-receipt', 'desktop', '[role=dialog]');
  // In the meantime, somebody changes the dispatch time of one delivery again.
  const move = 'mutation($input: ChangeDispatchTimesInput!) { changeDispatchTimes(input: $input) { ok } }';
  const later = new Date(Date.now() + 30 * 86_400_000).toISOString();
  await ask(request, move, { input: { changes: [{ deliveryId: id(5), scheduledatetime: later }] } });

  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(page.getByText(`${said(MANY - 3)} deliveries restored. 1 not undone: someone has changed it since.`)).toBeVisible({ timeout: PATIENCE });
  expect(await dispatched(0)).toBe(new Date(due).getTime());
  expect(await dispatched(5)).toBe(new Date(later).getTime());
});
