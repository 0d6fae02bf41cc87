// A workbook with deliveries and items on two sheets, from the file to the result without a mouse.
import { writeFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { ask } from '../support/api.ts';
import { expect, test } from '../support/fixtures.ts';
import { press, reach } from '../support/keyboard.ts';
import { lookInBothSizes } from '../support/look.ts';
import { fact } from '../support/screens.ts';
import { workbook } from '../support/workbook.ts';

test.use({ as: 'admin' });

const orders = [
  ['Delivery Doc', 'Shipment no.', 'Customer Name', 'Customer Address', 'Dispatch Date and Time'],
  ['WIZARD-1', 'WIZARD-S', 'Aling Nena Store', '12 Rizal St, Makati', '2030-04-03 08:00'],
  ['WIZARD-2', 'WIZARD-S', 'Mercado Central', '4 Bonifacio Ave, Pasig', '2030-04-03 09:30'],
];
const lines = [
  ['Article', 'Description', 'Pieces', 'Delivery Doc'],
  ['SKU-1', 'Rice 25 kg', '5', 'WIZARD-1'],
  ['SKU-2', 'Cooking oil 1 L', '12', 'WIZARD-1'],
  ['SKU-1', 'Rice 25 kg', '2', 'WIZARD-2'],
  ['SKU-1', 'Rice 25 kg', '1', 'WIZARD-9'],
];

/** Chooses an option of the field by typing how it begins. */
async function type(page: Page, label: string, text: string) {
  await reach(page, page.getByLabel(label, { exact: true }));
  await page.keyboard.type(text);
}

test('deliveries and items of two sheets are imported with keys alone', async ({ page }) => {
  test.setTimeout(120_000);
  const { request } = page.context();
  const file = test.info().outputPath('orders and lines.xlsx');
  await writeFile(file, await workbook({ Orders: orders, Lines: lines }));

  await test.step('the file waits, because its items would be left out', async () => {
    await page.goto('/upload-deliveries');
    await press(page, page.getByLabel('Check the file first'), 'Space');
    const chooser = page.waitForEvent('filechooser');
    await press(page, page.getByRole('button', { name: 'Choose file' }).first());
    await (await chooser).setFiles(file);
    const items = page.getByRole('table', { name: 'Columns of Lines' });
    await expect(items).toBeVisible({ timeout: 60_000 });
    await expect(items.getByRole('row', { name: /Article/ })).toContainText('Exact match');
    await expect(fact(page, 'Row 2 becomes', 'Customer Name')).toHaveText('Aling Nena Store');
    await expect(fact(page, 'Row 2 becomes', 'SKU')).toHaveText('SKU-1');
  });

  await test.step('what joins the sheets has to be known', async () => {
    await type(page, 'Field for Pieces in Lines', 'Quan');
    await expect(fact(page, 'Row 2 becomes', 'Quantity')).toHaveText('5');
    await lookInBothSizes(page, 'import-items-sheet');
    await type(page, 'Field for Delivery Doc in Lines', "Don't");
    await expect(page.getByText('Choose the column of “Lines” that holds the Delivery Doc.')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Check the file' })).toBeDisabled();
    await page.keyboard.press('ArrowDown');
    await expect(fact(page, 'Row 2 becomes', 'SKU')).toHaveText('SKU-1');
  });

  await test.step('the check names the sheet of each row', async () => {
    await press(page, page.getByRole('button', { name: 'Check the file' }));
    await expect(fact(page, 'Result of the check', 'Would be created')).toHaveText('3', { timeout: 60_000 });
    await expect(fact(page, 'Result of the check', 'Would be refused')).toHaveText('1');
    await expect(page.getByText("Row 5 of “Lines” can't be joined")).toBeVisible();
  });

  await test.step('the items belong to their deliveries', async () => {
    await press(page, page.getByRole('button', { name: 'Import now' }));
    await expect(fact(page, 'Result', 'Rows created')).toHaveText('3', { timeout: 60_000 });
    const query = 'query($id: String!) { delivery(id: $id) { items { sku quantity } } }';
    const { delivery } = await ask(request, query, { id: 'WIZARD-1' });
    expect(delivery.items.map((it: { sku: string; quantity: number }) => `${it.sku} ${Number(it.quantity)}`)).toEqual(['SKU-1 5', 'SKU-2 12']);
    await lookInBothSizes(page, 'import-items-result');
  });
});
