// Every row of a file is reviewed after the check, and wrong cells are corrected, before anything is imported.
import { writeFile } from 'node:fs/promises';
import type { CDPSession, Locator, Page } from '@playwright/test';
import { ask, importFile } from '../support/api.ts';
import { expect, test } from '../support/fixtures.ts';
import { lookInBothSizes } from '../support/look.ts';
import { chooseFile, fact } from '../support/screens.ts';

test.use({ as: 'admin' });

/** The number of rows to scroll through. E2E_REVIEW_ROWS=100000 is a full run. */
const ROWS = Number(process.env.E2E_REVIEW_ROWS ?? 5_000);

const HEAD = [
  'Delivery Doc',
  'Reference Doc',
  'Shipment no.',
  'Customer Name',
  'Customer Address',
  'Dispatch Date and Time',
  'Item Number',
  'SKU',
  'Description',
  'Quantity',
  'Unit',
  'Trucker',
];
const STORES = [
  ['Aling Nena Store', '12 Rizal St, Makati'],
  ['Santos Trading', '48 Quirino Hwy, Quezon City'],
  ['Mercado Central', '7 Mabini St, Pasig'],
  ['Bayani Hardware', '221 EDSA, Mandaluyong'],
  ['Luntian Grocers', '9 Aguinaldo Hwy, Bacoor'],
] as const;
const GOODS = [
  ['RICE-25', 'Jasmine rice, 25 kg sack', 'sack'],
  ['OIL-1L', 'Coconut oil, 1 L', 'bottle'],
  ['SUGAR-50', 'Washed sugar, 50 kg', 'sack'],
  ['SOAP-12', 'Laundry soap, box of 12', 'box'],
] as const;

/** A row of a day's file. `quantity` is what somebody typed. */
function line(prefix: string, index: number, quantity = String((index % 9) + 1)) {
  const [customer, address] = STORES[index % STORES.length]!;
  const [sku, name, unit] = GOODS[index % GOODS.length]!;
  const doc = `${prefix}-${String(index + 1).padStart(6, '0')}`;
  const trucker = index % 3 === 0 ? 'Isla Express' : 'Luzon Haul';
  const cells = [doc, `PO-${40_000 + index}`, `${prefix}-T${index % 40}`, customer, address, '2030-04-03 08:00'];
  return [...cells, '1', sku, name, quantity, unit, trucker].map((cell) => `"${cell}"`).join(',');
}

async function tabTo(page: Page, target: Locator) {
  await expect(target).toBeVisible();
  for (let at = 0; at < 80 && !(await target.evaluate((it) => it === document.activeElement)); at += 1) {
    await page.keyboard.press('Tab');
  }
  await expect(target).toBeFocused();
}

test('wrong cells are corrected before the import, by keyboard alone', async ({ page }) => {
  test.setTimeout(120_000);
  const { request } = page.context();
  const file = test.info().outputPath('orders-april-3.csv');
  const wrong: Record<number, string> = { 6: '12 pcs', 19: '12 pcs', 33: '' };
  const lines = Array.from({ length: 60 }, (_, index) => line('REV', index, wrong[index]));
  await writeFile(file, [HEAD.join(','), ...lines].join('\n'));
  await page.goto('/upload-deliveries');
  await page.getByText('Check the file first').click();
  await chooseFile(page, file);
  const grid = page.getByRole('grid', { name: 'Rows' });
  const row = (number: number) => grid.getByRole('row', { name: new RegExp(`^Row ${number}\\b`) });
  await expect(row(8)).toContainText('is not a number', { timeout: 60_000 });
  await expect(fact(page, 'Result of the check', 'Would be refused')).toHaveText('3');
  await lookInBothSizes(page, 'import-review');

  await test.step('a correction is applied to the same value elsewhere', async () => {
    await tabTo(page, grid.getByRole('gridcell').first());
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await expect(row(8).getByRole('gridcell').nth(9)).toBeFocused();
    await page.keyboard.type('12');
    await page.keyboard.press('Enter');
    await expect(row(21).getByRole('gridcell').nth(9)).toBeFocused();
    await tabTo(page, page.getByRole('button', { name: 'Apply this correction to 1 more cell' }));
    await page.keyboard.press('Enter');
    await expect(row(21).getByRole('gridcell').nth(9)).toContainText(/^12/);
    // The focus is in the grid again, on the way to the cell that is empty.
    await page.keyboard.press('ArrowDown');
    await expect(row(35).getByRole('gridcell').nth(9)).toBeFocused();
    await page.keyboard.type('3');
    await page.keyboard.press('Enter');
    await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  });

  await test.step('a good row is found among all rows and changed, too', async () => {
    await page.getByRole('link', { name: /^All/ }).click();
    await expect(page).toHaveURL(/rows=all/);
    await expect(row(2)).toContainText('New');
    await lookInBothSizes(page, 'import-review-all');
    await grid.getByRole('gridcell').first().click();
    await page.keyboard.press('Control+End');
    await expect(row(61).getByRole('gridcell').last()).toBeFocused();
    await page.keyboard.type('Isla Express');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Control+Home');
    await expect(row(2).getByRole('gridcell').first()).toBeFocused();
    await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  });

  await test.step('the next check has the changes', async () => {
    await page.reload();
    await page.getByRole('button', { name: 'Check again' }).click();
    await expect(fact(page, 'Result of the check', 'Would be created')).toHaveText('60', { timeout: 60_000 });
    await expect(row(8)).toContainText('New');
  });

  await test.step('and so has the import', async () => {
    await page.getByRole('button', { name: 'Import now' }).click();
    await expect(fact(page, 'Result', 'Rows created')).toHaveText('60', { timeout: 60_000 });
    const query = 'query($id: String!) { delivery(id: $id) { trucker items { quantity } } }';
    const quantities = async (id: string) => {
      const { delivery } = await ask(request, query, { id });
      return delivery.items.map((item: { quantity: number }) => Number(item.quantity));
    };
    expect(await quantities('REV-000007')).toEqual([12]);
    await page.goto('/view-delivery/REV-000060');
    await expect(page.getByText('Isla Express').first()).toBeVisible();
  });
});

/** The processor time of the page so far, in milliseconds. Unlike lengths of frames, it hardly depends on what else runs. */
async function processorTime(client: CDPSession) {
  const { metrics } = await client.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')!.value * 1000;
}

/** Scrolls the grid for some frames and returns their lengths in milliseconds, sorted. */
async function frames(grid: Locator, step: number, count: number) {
  return grid.evaluate(
    async (box, [by, number]) => {
      const lengths: number[] = [];
      const frame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));
      let before = await frame();
      for (let at = 0; at < number; at += 1) {
        box.scrollTop += by;
        const now = await frame();
        lengths.push(now - before);
        before = now;
      }
      return lengths.toSorted((a, b) => a - b);
    },
    [step, count] as const,
  );
}

test(`${ROWS} rows are scrolled through without a long frame`, async ({ page }) => {
  test.setTimeout(600_000);
  const { request } = page.context();
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto('/upload-deliveries');
  // One row in a hundred is wrong.
  const lines = Array.from({ length: ROWS }, (_, index) =>
    line('LONG', index, index % 100 === 99 ? '12 pcs' : undefined),
  );
  const content = Buffer.from([HEAD.join(','), ...lines].join('\n'));
  const id = await importFile(request, 'long.csv', content, { dryRun: true });
  await page.goto(`/uploaded-details/${id}?rows=all`);
  const grid = page.getByRole('grid', { name: 'Rows' });
  await expect(grid).toHaveAttribute('aria-rowcount', String(ROWS + 1), { timeout: 500_000 });
  await expect(grid.getByRole('rowheader').first()).toContainText('Row 2');

  const client = await page.context().newCDPSession(page);
  await client.send('Performance.enable', { timeDomain: 'threadTicks' });
  /** Scrolls, and reports the lengths of frames and returns the processor time of one on average. */
  const scroll = async (name: string, step: number, count: number) => {
    const before = await processorTime(client);
    const lengths = await frames(grid, step, count);
    const busy = ((await processorTime(client)) - before) / count;
    const at = (share: number) => lengths[Math.floor(share * (lengths.length - 1))]!;
    const over = lengths.filter((length) => length > 50).length;
    const text = [at(0.5), at(0.95), at(1)].map((length) => length.toFixed(1)).join(' / ');
    console.log(
      `review, ${ROWS} rows, ${name}: frames p50 / p95 / max ${text} ms, ${over} of ${count} over 50 ms, ` +
        `processor ${busy.toFixed(1)} ms a frame`,
    );
    return busy;
  };
  // Other work on the machine makes frames longer, but not the processor time of the page. A frame costs no more when
  // rows pass too quickly to be read.
  const wheel = await scroll('120 px a frame', 120, 300);
  expect(wheel).toBeLessThan(60);
  expect(await scroll('1,000 px a frame', 1_000, 300)).toBeLessThan(wheel);
  const height = await grid.evaluate((box) => box.scrollHeight);
  await grid.evaluate((box) => box.scrollTo({ top: 0 }));
  expect(await scroll('from top to end', Math.ceil(height / 120), 120)).toBeLessThan(wheel);
  await expect(grid.getByRole('rowheader').last()).toContainText(`Row ${ROWS + 1}`);
});
