// A file in which two hundred rows are wrong, each in its own way, and their documents with them.
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
  await expect(fact(page, 'Result', 'Refused')).toHaveText('531');
  await expect(page.getByText('Imported with errors')).toBeVisible();

  const refused = page.getByRole('region', { name: 'Rows not imported' }).getByRole('table');
  const rows = async () =>
    refused.locator('tbody').evaluateAll((groups) =>
      groups.map((group) => ({
        row: Number(group.querySelector('th')?.textContent),
        // The order of what is wrong with one row means nothing.
        messages: [...group.querySelectorAll('tr')]
          .map((line) => [...line.querySelectorAll('td')].slice(0, 2).map((cell) => cell.textContent).join(' '))
          .toSorted(),
      })),
    );
  const want = expected.map(({ xlsx_row, messages }) => ({
    row: xlsx_row,
    messages: messages.map(({ column, code }) => `${column} ${code}`).toSorted(),
  }));

  const own = (row: { messages: string[] }) => !row.messages.some((message) => message.endsWith(' DOCUMENT_REFUSED'));

  await test.step('on the page, with row, column and reason', async () => {
    // The first page has some of the two hundred, and rows that were good but for their document.
    await expect.poll(async () => (await rows()).length).toBe(25);
    const shown = (await rows()).filter(own);
    expect(shown).toEqual(want.slice(0, shown.length));
    expect(shown.length).toBeLessThan(25);
    await lookInBothSizes(page, 'import-refused');
    await page.getByRole('button', { name: 'Last page' }).click();
    await expect(page.getByText('526–531 of 531')).toBeVisible();
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

    // Of one document every row, with a quantity that can be read.
    const bad = told.find((line) => line[at('Quantity')] === 'isang dosena')!;
    const document = lines.filter((line) => line[at('Delivery Doc')] === bad[at('Delivery Doc')]);
    bad[at('Quantity')] = '12';
    const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
    const mended = test.info().outputPath('mended.csv');
    await writeFile(mended, [header, ...document].map((line) => line.map(quoted).join(',')).join('\r\n'));
    await page.goto('/upload-deliveries');
    await chooseFile(page, mended);
    await expect(page.getByRole('region', { name: 'Result', exact: true })).toBeVisible({ timeout: 60_000 });
    await expect(fact(page, 'Result', 'Refused')).toHaveText('0');
    await expect(fact(page, 'Result', 'Created')).toHaveText(String(document.length));
  });
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
  const warnings = page.getByRole('region', { name: 'Check these' });
  await expect(warnings.getByRole('row')).toHaveCount(3, { timeout: 60_000 });
  await expect(warnings.getByRole('row', { name: /Plate No\./ })).toContainText('No field has this heading');
  await expect(warnings.getByRole('row', { name: /Dispatch Date and Time/ })).toContainText('is March 4, 2030');
  await expect(page.getByText('Month first', { exact: true })).toBeVisible();
  await lookInBothSizes(page, 'import-warnings');
});
