// A wrong file: checked before it is imported, imported all the same, and undone.
import { writeFile } from 'node:fs/promises';
import { ask, importFile } from '../support/api.ts';
import { expect, test } from '../support/fixtures.ts';
import { lookInBothSizes } from '../support/look.ts';
import { chooseFile, fact } from '../support/screens.ts';
import { workbook } from '../support/workbook.ts';

test.use({ as: 'admin' });

const head = 'Delivery Doc,Shipment no.,Customer Name,Dispatch Date and Time,Item Number,SKU,Quantity';
const line = (doc: string, quantity: number) => `${doc},UNDO-S,Aling Nena Store,2030-04-03 08:00,1,SKU-1,${quantity}`;

test('a wrong file is checked, imported and taken back', async ({ page }) => {
  test.setTimeout(120_000);
  const { request } = page.context();
  await page.goto('/upload-deliveries');
  await importFile(request, 'before.csv', Buffer.from([head, line('UNDO-1', 5), line('UNDO-2', 5)].join('\n')));
  const there = async (id: string) => (await ask(request, 'query($id: String!) { delivery(id: $id) { id } }', { id })).delivery !== null;
  await expect.poll(() => there('UNDO-2')).toBe(true);

  await test.step('the check counts, and nothing changes', async () => {
    const file = test.info().outputPath('wrong.csv');
    await writeFile(file, [head, line('UNDO-1', 9), line('UNDO-2', 9), line('UNDO-3', 1), line('UNDO-4', 1)].join('\n'));
    await page.getByText('Check the file first').click();
    await chooseFile(page, file);
    await expect(page.getByText('Nothing has been imported yet')).toBeVisible({ timeout: 60_000 });
    await expect(fact(page, 'Result of the check', 'Would be created')).toHaveText('2');
    await expect(fact(page, 'Result of the check', 'Would be updated')).toHaveText('2');
    await expect(page.getByRole('row', { name: /UNDO-1.*Quantity/ })).toContainText('9');
    expect(await there('UNDO-3')).toBe(false);
    await lookInBothSizes(page, 'import-checked');
  });

  await test.step('one click imports it', async () => {
    await page.getByRole('button', { name: 'Import now' }).click();
    await expect(fact(page, 'Result', 'Rows created')).toHaveText('2', { timeout: 60_000 });
    await lookInBothSizes(page, 'import-undoable');
  });

  await test.step('the undo counts first, and keeps what somebody changed', async () => {
    const outcome = {
      deliveryId: 'UNDO-4',
      clientEventId: crypto.randomUUID(),
      status: 'Undelivered',
      outcomeReason: 'recipient_absent',
      outcomeNote: 'Gate was closed',
    };
    await ask(request, 'mutation($input: RecordOutcomeInput!) { recordOutcome(input: $input) { version } }', { input: outcome });
    await page.getByRole('button', { name: 'Undo import' }).click();
    const dialog = page.getByRole('alertdialog');
    await expect(dialog.getByText('Will be undone').locator('+ dd')).toHaveText('3');
    await expect(dialog.getByText('Kept because someone changed them since').locator('+ dd')).toHaveText('1');
    await lookInBothSizes(page, 'import-undo-question');
    // With the keyboard: the dialog opens with the focus on Cancel, and the next button confirms.
    await page.keyboard.press('Tab');
    await expect(dialog.getByRole('button', { name: 'Undo import' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('row', { name: /UNDO-4/ })).toContainText('Changed since the import', { timeout: 60_000 });
    await expect(page.getByText('Partly undone', { exact: true })).toBeVisible();
    await lookInBothSizes(page, 'import-undone');
    expect(await there('UNDO-3')).toBe(false);
    expect(await there('UNDO-4')).toBe(true);
  });
});

test('columns with other names are matched once, and then known', async ({ page }) => {
  test.setTimeout(120_000);
  const file = async (name: string, doc: string) => {
    const path = test.info().outputPath(name);
    const lines = ['Beleg,Tour,Custmer Name,Wann,Colour', `${doc},MATCH-S,Aling Nena Store,2030-04-03 08:00,red`];
    await writeFile(path, lines.join('\n'));
    return path;
  };
  await page.goto('/upload-deliveries');
  await chooseFile(page, await file('first.csv', 'MATCH-1'));
  const table = page.getByRole('table', { name: 'Columns in the file' });
  await expect(table.getByRole('row', { name: /Beleg/ })).toContainText('MATCH-1', { timeout: 60_000 });
  await expect(page.getByLabel('Field for Custmer Name')).toHaveValue('customername');
  await lookInBothSizes(page, 'import-match-columns');
  await page.getByLabel('Field for Beleg').selectOption('Delivery Doc *');
  await page.getByLabel('Field for Tour').selectOption('Shipment no. *');
  await expect(page.getByText('Still missing: Dispatch Date and Time')).toBeVisible();
  await page.getByLabel('Field for Wann').selectOption('Dispatch Date and Time *');
  await test.step('the mapping is saved under a name, without a mouse', async () => {
    await page.getByRole('button', { name: 'Save this mapping' }).focus();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('textbox', { name: 'Name' })).toBeFocused();
    await page.keyboard.type('Store orders');
    await page.keyboard.press('Enter');
    await expect(page.getByText('Saved mapping Store orders applied')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Save this mapping' })).toBeFocused();
  });
  await page.getByRole('button', { name: 'Import the file' }).click();
  await expect(fact(page, 'Result', 'Rows created')).toHaveText('1', { timeout: 60_000 });

  await page.goto('/upload-deliveries');
  await chooseFile(page, await file('second.csv', 'MATCH-2'));
  await expect(fact(page, 'Result', 'Rows created')).toHaveText('1', { timeout: 60_000 });

  await test.step('a file with other headings, too, begins with the saved mapping', async () => {
    const other = test.info().outputPath('third.csv');
    const lines = ['Lager,Wann,Beleg,Custmer Name,Tour', '7,2030-04-03 08:00,MATCH-3,Aling Nena Store,MATCH-S'];
    await writeFile(other, lines.join('\n'));
    await page.goto('/upload-deliveries');
    await chooseFile(page, other);
    await expect(page.getByText('Suggested by the saved mapping Store orders')).toBeVisible({ timeout: 60_000 });
    await expect(page.getByLabel('Field for Beleg')).toHaveValue('delivery_id');
    await lookInBothSizes(page, 'import-saved-mapping');
    await page.getByRole('button', { name: 'Saved mappings' }).click();
    const saved = page.getByRole('dialog', { name: 'Saved mappings' });
    await expect(saved.getByRole('button', { name: /^Store orders.*4 of 4 columns/ })).toContainText(/1 import, last used (now|\d+ minutes? ago)/);
    await lookInBothSizes(page, 'import-saved-mappings');
    await saved.getByRole('button', { name: 'Actions for Store orders' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete mapping' }).click();
    await expect(saved.getByText('No saved mappings yet.')).toBeVisible();
    await page.keyboard.press('Escape');
    // What it suggested stays.
    await page.getByRole('button', { name: 'Import the file' }).click();
    await expect(fact(page, 'Result', 'Rows created')).toHaveText('1', { timeout: 60_000 });
  });
});

test('another sheet and the other date order are chosen before anything is imported', async ({ page }) => {
  test.setTimeout(120_000);
  const header = ['Delivery Doc', 'Shipment no.', 'Customer Name', 'Delivery Date', 'SKU', 'Quantity', 'Street', 'City'];
  const file = test.info().outputPath('two-sheets.xlsx');
  const order = (doc: string) => [doc, 'SHEETS-S', 'Aling Nena Store', '03/04/2030', 'SKU-1', '5', '12 Rizal St', 'Makati'];
  const sheets = { Notes: [['Call the warehouse first'], ['Thank you']], Orders: [header, order('SHEET-1'), order('SHEET-2')] };
  await writeFile(file, await workbook(sheets));
  await page.goto('/upload-deliveries');
  await page.getByText('Choose the columns myself').click();
  await chooseFile(page, file);
  await page.getByLabel('Sheet', { exact: true }).selectOption('Orders (2 rows)', { timeout: 60_000 });
  await expect(page.getByText('header row 1, 2 rows')).toBeVisible();
  await expect(page.getByRole('row', { name: /Delivery Date/ })).toContainText('Exact match');

  await test.step('examples show both orders, also in another tab', async () => {
    const examples = page.getByRole('list', { name: 'Examples from Delivery Date' });
    await expect(examples).toContainText('March 4, 2030');
    await page.getByLabel('Date order').selectOption('Day first (day/month/year)');
    await expect(examples).toContainText(/03\/04\/2030.*April 3, 2030.*Month first: March 4, 2030/);
    await expect(fact(page, 'Row 2 becomes', 'Dispatch Date')).toHaveText('April 3, 2030');
    const other = await page.context().newPage();
    await other.goto(page.url());
    await expect(other.getByRole('heading', { name: 'Match the columns' })).toBeVisible();
    await other.close();
  });

  await test.step('columns are joined, and what the file lacks is given once', async () => {
    for (const name of ['Street', 'City']) {
      await page.getByLabel(`Field for ${name}`).selectOption('Customer Address');
    }
    await expect(fact(page, 'Row 2 becomes', 'Customer Address')).toHaveText('12 Rizal St, Makati');
    const add = page.getByRole('button', { name: 'Add a default value' });
    await add.focus();
    await page.keyboard.press('Enter');
    // A menu moves the focus a moment after its key, and would take the next key for another item.
    await expect(page.getByRole('menuitem').first()).toBeFocused();
    await page.keyboard.type('time');
    await expect(page.getByRole('menuitem', { name: 'Time Window Start' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('textbox', { name: 'Time Window Start' })).toBeFocused();
    await page.keyboard.type('soon');
    await expect(page.getByText('The default value “soon” for Time Window Start can')).toBeVisible();
    await page.getByRole('button', { name: 'Remove the default value for Time Window Start' }).click();
    await expect(add).toBeFocused();
    await add.click();
    await page.getByRole('menuitem', { name: 'Trucker' }).click();
    await page.keyboard.type('Luzon Haul');
    await expect(fact(page, 'Row 2 becomes', 'Trucker')).toHaveText('Luzon Haul');
    await lookInBothSizes(page, 'import-match-defaults');
  });

  await test.step('the import reads what was chosen', async () => {
    await page.getByRole('button', { name: 'Import the file' }).click();
    await expect(fact(page, 'Result', 'Rows created')).toHaveText('2', { timeout: 60_000 });
    await expect(page.getByText('The sheet “Notes” has content')).toBeVisible();
    await page.goto('/view-delivery/SHEET-2');
    await expect(page.getByText(/Apr 3, 2030/).first()).toBeVisible();
    await expect(page.getByText('12 Rizal St, Makati').first()).toBeVisible();
    await expect(page.getByText('Luzon Haul').first()).toBeVisible();
  });
});

test('values that nobody knows are matched after a check, and then remembered', async ({ page }) => {
  test.setTimeout(120_000);
  const { request } = page.context();
  const headings = 'DR no.,Trip no.,Store name,Dispatch,Qty';
  const file = async (name: string, ...orders: string[]) => {
    const path = test.info().outputPath(name);
    await writeFile(path, [headings, ...orders.map((order) => `${order},2030-04-03 08:00,5`)].join('\n'));
    return path;
  };
  await page.goto('/upload-deliveries');
  await importFile(request, 'known.csv', Buffer.from([head, line('VALUES-0', 5).replace('Aling Nena', 'Kanto Corner')].join('\n')));
  const known = 'query { customers(page: { where: [{ key: "customerName", operator: "equals", values: ["Kanto Corner Store"] }] }) { customerName } }';
  await expect.poll(async () => (await ask(request, known)).customers.length).toBe(1);
  await page.getByText('Check the file first').click();
  await chooseFile(page, await file('first.csv', 'VALUES-1,VALUES-S,Kanto Croner Store', 'VALUES-2,VALUES-S,Brand New Store'));
  const choice = page.getByLabel('Import Kanto Croner Store as');
  await expect(choice).toHaveValue('', { timeout: 60_000 });
  await expect(page.getByText('0 of 2 chosen')).toBeVisible();
  await lookInBothSizes(page, 'import-match-values');

  await test.step('choices are kept, also in another tab', async () => {
    await page.getByRole('button', { name: 'Use Kanto Corner Store for Kanto Croner Store' }).click();
    await expect(page.getByRole('button', { name: 'Check again' })).toBeVisible();
    const other = await page.context().newPage();
    await other.goto(page.url());
    await expect(other.getByLabel('Import Kanto Croner Store as')).toHaveValue('use:Kanto Corner Store');
    await other.close();
  });

  await test.step('another record is found by keyboard', async () => {
    await page.getByLabel('Import Brand New Store as').selectOption('Choose another customer…');
    await page.getByLabel('Existing customer for Brand New Store').fill('kanto');
    await expect(page.getByRole('listbox').getByRole('option', { name: 'Kanto Corner Store' })).toBeVisible();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect(page.getByText('2 of 2 chosen')).toBeVisible();
    await page.getByLabel('Import Brand New Store as').selectOption('Create a new customer');
    await page.getByRole('button', { name: 'Check again' }).click();
    await expect(page.getByRole('button', { name: 'Check again' })).toBeHidden({ timeout: 60_000 });
    await expect(choice).toHaveValue('use:Kanto Corner Store', { timeout: 60_000 });
  });

  await test.step('the import uses what was chosen, and so does the next file', async () => {
    await page.getByRole('button', { name: 'Import now' }).click();
    await expect(fact(page, 'Result', 'Rows created')).toHaveText('2', { timeout: 60_000 });
    await expect(page.getByRole('row', { name: /Kanto Croner Store/ })).toContainText('Kanto Corner Store');
    await page.goto('/upload-deliveries');
    await chooseFile(page, await file('second.csv', 'VALUES-3,VALUES-S,KANTO CRONER STORE'));
    await expect(fact(page, 'Result', 'Rows created')).toHaveText('1', { timeout: 60_000 });
    const query = 'query($id: String!) { delivery(id: $id) { customername } }';
    for (const id of ['VALUES-1', 'VALUES-3']) {
      expect((await ask(request, query, { id })).delivery).toEqual({ customername: 'Kanto Corner Store' });
    }
  });
});
