// A file in which two hundred rows are wrong, each in its own way.
import { readFile } from 'node:fs/promises';
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
  await expect(fact(page, 'Result', 'Refused')).toHaveText('200');
  await expect(page.getByText('Imported with errors')).toBeVisible();

  const refused = page.getByRole('region', { name: 'Rows that were refused' }).getByRole('table');
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

  await test.step('on the page, with row, column and reason', async () => {
    await expect.poll(rows).toEqual(want.slice(0, 25));
    await lookInBothSizes(page, 'import-refused');
    await page.getByRole('button', { name: 'Last page' }).click();
    await expect(page.getByText('176–200 of 200')).toBeVisible();
    await expect.poll(rows).toEqual(want.slice(175));
  });

  await test.step('and all of them in a file', async () => {
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download refused rows' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(/^deliveries-200-bad.*\.csv$/);
    const [header, ...lines] = parseCsv(await readFile(await file.path(), 'utf8'));
    expect(header).toEqual(['Row', 'Delivery Doc', 'Column', 'Code', 'Message']);
    const told = lines.map(([row, , column, code]) => `${row} ${column} ${code}`);
    const wanted = want.flatMap(({ row, messages }) => messages.map((message) => `${row} ${message}`));
    expect(told.toSorted()).toEqual(wanted.toSorted());
  });
});
