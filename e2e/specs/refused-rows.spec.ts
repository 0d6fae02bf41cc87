// Imports a file with two hundred bad rows. The good rows with the same Delivery Docs are refused with them.
import { readFile, writeFile } from 'node:fs/promises';
import { fixture, parseCsv } from '../support/deliveries-file.ts';
import { expect, test } from '../support/fixtures.ts';
import { lookInBothSizes } from '../support/look.ts';
import { chooseFile, fact } from '../support/screens.ts';

interface Expected {
  xlsx_row: number;
  messages: { column: string; code: string }[];
}

test.use({ as: 'admin' });

test('a file with bad rows brings the others in and names each bad one', async ({ page }) => {
  test.setTimeout(120_000);
  const text = await readFile(fixture('deliveries-200-bad.expected.json'), 'utf8');
  const expected: Expected[] = JSON.parse(text);
  expect(expected).toHaveLength(200);

  await page.goto('/upload-deliveries');
  await chooseFile(page, fixture('deliveries-200-bad.xlsx'));
  await expect(page).toHaveURL(/\/uploaded-details\//);
  await expect(page.getByRole('region', { name: 'Result', exact: true })).toBeVisible({ timeout: 60_000 });
  await expect(fact(page, 'Result', 'Rows refused')).toHaveText('531');
  await expect(page.getByText('Imported with errors', { exact: true })).toBeVisible();

  const refused = page.getByRole('grid', { name: 'Rows not imported' });
  const rows = async () =>
    refused.evaluate((grid) => {
      const cells = (row: Element, role: string) => [...row.querySelectorAll(`[role="${role}"]`)];
      const [head, ...lines] = [...grid.querySelectorAll('[role="row"]')];
      const headings = cells(head!, 'columnheader').map((it) => it.textContent).slice(1);
      return lines.map((line) => {
        const wrong = cells(line, 'gridcell').map((cell) => cell.hasAttribute('aria-invalid'));
        return {
          row: Number(/\d+/.exec(cells(line, 'rowheader')[0]!.textContent)?.[0]),
          ofDocument: line.textContent.includes('of this document was refused'),
          columns: headings.filter((_, at) => wrong[at]).toSorted(),
        };
      });
    });
  const want = expected.map(({ xlsx_row, messages }) => ({
    row: xlsx_row,
    ofDocument: false,
    columns: [...new Set(messages.map(({ column }) => column))].toSorted(),
  }));

  await test.step('on the page, with row, column and reason', async () => {
    // The first rows are some of the two hundred bad rows, and good rows that were refused with their Delivery Doc.
    await expect(refused).toHaveAttribute('aria-rowcount', '532');
    await expect.poll(async () => (await rows()).filter(({ row }) => row > 0).length).toBeGreaterThan(8);
    const all = await rows();
    const shown = all.filter(({ ofDocument }) => !ofDocument);
    expect(shown).toEqual(want.slice(0, shown.length));
    expect(shown.length).toBeLessThan(all.length);
    await lookInBothSizes(page, 'import-refused');
    await refused.getByRole('gridcell').first().click();
    await page.keyboard.press('Control+End');
    await expect(refused.locator('[role="row"][aria-rowindex="532"]')).toContainText(/^Row \d/);
  });

  await test.step('and all of them in a file that imports again, mended', async () => {
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download refused rows' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(/^deliveries-200-bad.*\.csv$/);
    const [header = [], ...lines] = parseCsv(await readFile(await file.path(), 'utf8'));
    expect(header.slice(-2)).toEqual(['Refused row', 'Refused because']);
    expect(lines).toHaveLength(531);
    const at = (name: string) => header.indexOf(name);
    const told = lines.filter((line) => !line.at(-1)!.startsWith('Row '));
    expect(told.map((line) => Number(line.at(-2))).toSorted((a, b) => a - b)).toEqual(want.map(({ row }) => row));

    // Take every row of one Delivery Doc, and correct its unreadable quantity.
    const bad = told.find((line) => line[at('Quantity')] === 'isang dosena')!;
    const document = lines.filter((line) => line[at('Delivery Doc')] === bad[at('Delivery Doc')]);
    bad[at('Quantity')] = '12';
    const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
    const mended = test.info().outputPath('mended.csv');
    await writeFile(mended, [header, ...document].map((line) => line.map(quoted).join(',')).join('\r\n'));
    await page.goto('/upload-deliveries');
    await chooseFile(page, mended);
    await expect(page.getByRole('region', { name: 'Result', exact: true })).toBeVisible({ timeout: 60_000 });
    await expect(fact(page, 'Result', 'Rows refused')).toHaveText('0');
    await expect(fact(page, 'Result', 'Rows created')).toHaveText(String(document.length));
  });
});

test('refused rows are corrected on the page by keyboard alone, and imported', async ({ page }) => {
  test.setTimeout(120_000);
  const file = test.info().outputPath('to-correct.csv');
  const head = 'Delivery Doc,Shipment no.,Customer Name,Dispatch Date and Time,SKU,Quantity';
  const line = (doc: string, quantity: string) => `${doc},FIX-S,Aling Nena Store,2030-04-03 08:00,SKU-1,${quantity}`;
  await writeFile(file, [head, line('FIX-1', '5'), line('FIX-2', 'dosena'), line('FIX-3', 'dosena')].join('\n'));
  await page.goto('/upload-deliveries');
  await chooseFile(page, file);
  const grid = page.getByRole('grid', { name: 'Rows not imported' });
  const cells = grid.getByRole('gridcell');
  await expect(cells.nth(5)).toContainText('is not a number', { timeout: 60_000 });
  await expect(fact(page, 'Result', 'Rows created')).toHaveText('1');
  // The grid scrolls to the first wrong cell, even if it is far to the right.
  await expect(cells.nth(5)).toBeInViewport();
  await lookInBothSizes(page, 'import-correct');

  const tabTo = async (target: ReturnType<typeof page.locator>, key = 'Tab') => {
    await expect(target).toBeVisible();
    for (let at = 0; at < 80 && !(await target.evaluate((it) => it === document.activeElement)); at += 1) {
      await page.keyboard.press(key);
    }
    await expect(target).toBeFocused();
  };
  await tabTo(cells.first());
  await page.keyboard.press('End');
  await expect(cells.nth(5)).toBeFocused();
  await page.keyboard.press('Enter');
  await page.keyboard.type('x');
  await page.keyboard.press('Escape');
  await expect(cells.nth(5)).toContainText('dosena');
  await page.keyboard.type('12');
  await page.keyboard.press('Enter');
  await expect(cells.nth(11)).toBeFocused();
  const others = page.getByRole('button', { name: 'Apply this correction to 1 more cell' });
  await tabTo(others);
  await page.keyboard.press('Enter');
  await expect(cells.nth(11)).toContainText(/^12/);

  // Leaving the page loses nothing, because the server has stored the corrections.
  await page.reload();
  await expect(cells.nth(5)).toContainText(/^12/);
  await tabTo(page.getByRole('button', { name: 'Import corrected rows' }));
  await page.keyboard.press('Enter');
  await expect(fact(page, 'Result', 'Rows created')).toHaveText('3', { timeout: 60_000 });
  await expect(fact(page, 'Result', 'Rows refused')).toHaveText('0');
  await expect(grid).toBeHidden();
});

test('headings that are not used and dates of unknown order are listed as warnings', async ({ page }) => {
  const file = test.info().outputPath('warned.csv');
  const lines = [
    'Delivery Doc,Shipment no.,Customer Name,Dispatch Date and Time,Plate No.',
    'WARN-1,WARN-S,Aling Nena Store,03/04/2030 08:00,ABC-1',
  ];
  await writeFile(file, lines.join('\n'));
  await page.goto('/upload-deliveries');
  await chooseFile(page, file);
  const warnings = page.getByRole('region', { name: 'Warnings to check' });
  await expect(warnings.getByRole('row')).toHaveCount(3, { timeout: 60_000 });
  await expect(warnings.getByRole('row', { name: /Plate No\./ })).toContainText('No field has this heading');
  await expect(warnings.getByRole('row', { name: /Dispatch Date and Time/ })).toContainText('is March 4, 2030');
  await expect(page.getByText('Month first', { exact: true })).toBeVisible();
  await lookInBothSizes(page, 'import-warnings');
});
