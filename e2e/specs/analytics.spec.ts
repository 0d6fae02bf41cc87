// The numbers: on the dashboard, in reports and in the query lab, and that they are those of the lists behind them.
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from '@playwright/test';
import { ask } from '../support/api.ts';
import { expect, test } from '../support/fixtures.ts';
import { look, lookInBothSizes } from '../support/look.ts';

test.use({ as: 'admin' });

const number = (text: string) => Number(/[\d,]+/.exec(text)?.[0].replaceAll(',', ''));

/** How many deliveries the list at an address says there are. */
async function listed(page: Page, address: string): Promise<number> {
  await page.goto(address);
  const count = page.getByRole('status').filter({ hasText: /^[\d,]+ deliver(y|ies)$/ });
  await expect(count).toBeVisible();
  return number(await count.innerText());
}

interface Figure {
  value: number;
  address: string;
}

/** What links say, and where they lead. */
async function figuresIn(links: Locator): Promise<Figure[]> {
  const found = await links.evaluateAll((all) =>
    all.map((link) => ({ text: link.textContent ?? '', address: link.getAttribute('href') ?? '' })),
  );
  return found
    .filter(({ text, address }) => /^[\d,]+$/.test(text) && address.startsWith('/deliveries?'))
    .map(({ text, address }) => ({ value: number(text), address }));
}

const today = (page: Page) => page.getByRole('region', { name: 'Today' });
const card = (page: Page, label: string) => today(page).getByRole('link', { name: new RegExp(`^${label}`) });
const value = async (link: Locator) => number(await link.locator('.text-kpi').innerText());

/** The last days of the demo data, until the service has read all of it. */
async function openDashboard(page: Page) {
  const { deliveriesCount } = await ask(page.context().request, '{ deliveriesCount { total } }');
  expect(deliveriesCount.total).toBeGreaterThan(0);
  await page.goto('/');
  const week = page.getByRole('table', { name: 'Last 7 days against the 7 before' });
  await expect(week).toBeVisible();
  const all = week.getByRole('row', { name: /^Deliveries/ }).getByRole('link').first();
  const address = await all.getAttribute('href');
  const elsewhere = await page.context().newPage();
  const expected = await listed(elsewhere, address!);
  await elsewhere.close();
  await expect(async () => expect(number(await all.innerText())).toBe(expected)).toPass();
}

test('every figure of the dashboard is the count of the list it opens', async ({ page }) => {
  test.setTimeout(240_000);
  await openDashboard(page);
  await expect(page.getByRole('figure').first().locator('svg.recharts-surface').first()).toBeVisible();
  await lookInBothSizes(page, 'dashboard');

  const labels = ['Dispatched today', 'Pending', 'Complete no variance', 'Undelivered', 'With variance', 'Late', 'Unassigned', 'Conflicts'];
  const figures: Figure[] = [];
  for (const label of labels) {
    await expect(card(page, label).locator('.text-kpi')).toHaveText(/\d/);
    figures.push({ value: await value(card(page, label)), address: (await card(page, label).getAttribute('href'))! });
  }
  const weeks = await figuresIn(page.getByRole('table', { name: 'Last 7 days against the 7 before' }).getByRole('link'));
  figures.push(...weeks.slice(0, 6));
  const reasons = page.getByRole('region', { name: 'Failures by reason' }).getByRole('listitem').getByRole('link');
  // The demo data may have no failure in these days.
  for (const reason of (await reasons.all()).slice(0, 1)) {
    figures.push({ value: number(await reason.locator('.font-semibold').innerText()), address: (await reason.getAttribute('href'))! });
  }
  for (const figure of figures) expect(await listed(page, figure.address), figure.address).toBe(figure.value);
});

test('a report is filtered, leads to its deliveries, and is saved and opened again', async ({ page }) => {
  test.setTimeout(240_000);
  const name = `Pending by trucker ${Math.random().toString(36).slice(2, 8)}`;
  await openDashboard(page);
  await page.getByRole('navigation', { name: 'Primary' }).getByRole('link', { name: 'Reports' }).click();
  await expect(page).toHaveURL('/report');
  const table = page.getByRole('table', { name: 'Deliveries by Delivery Status' });
  await expect(table).toBeVisible();
  await expect(page.locator('svg.recharts-surface').first()).toBeVisible();
  await lookInBothSizes(page, 'report');

  // One after the other has arrived, as a hand would: what is chosen goes through the address.
  for (const [name, option] of [['By', 'Whole range'], ['Split by', 'Trucker']] as const) {
    const choice = page.getByRole('combobox', { name, exact: true });
    await choice.selectOption(option);
    await expect(choice.locator('option:checked')).toHaveText(option);
  }
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('button', { name: 'Delivery Status' }).click();
  await page.getByRole('combobox', { name: 'Condition' }).selectOption('is not');
  await page.getByRole('checkbox', { name: 'Pending' }).check();
  await page.getByRole('button', { name: 'Apply' }).click();
  // From here the table of the question before is gone.
  await expect(page.getByRole('button', { name: 'Change filter: Delivery Status is not Pending' })).toBeVisible();
  const byTrucker = page.getByRole('table', { name: 'Deliveries', exact: true });
  await expect(byTrucker.getByRole('row').nth(1).getByRole('link')).toBeVisible();
  const address = page.url();
  const figures = await figuresIn(byTrucker.getByRole('link'));
  expect(figures.length).toBeGreaterThan(1);
  for (const figure of figures.slice(0, 4)) expect(await listed(page, figure.address), figure.address).toBe(figure.value);

  await page.goto(address);
  await expect(byTrucker).toBeVisible();
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save CSV' }).click();
  const lines = (await readFile((await (await saving).path())!, 'utf8')).trim().split('\r\n');
  expect(lines[0]).toMatch(/Trucker,Deliveries$/);
  expect(lines).toHaveLength(1 + (await byTrucker.locator('tbody').getByRole('row').count()));

  const savingBook = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save XLSX' }).click();
  const book = await savingBook;
  expect(book.suggestedFilename()).toMatch(/^report-[\d-]+\.xlsx$/);
  expect((await readFile((await book.path())!)).subarray(0, 2).toString()).toBe('PK');

  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Save as a new report' }).click();
  await page.getByRole('dialog').getByLabel(/^Name/).fill(name);
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText(`${name} saved`)).toBeVisible();
  await expect(page).toHaveURL(/\/report\?setting=[\w-]+$/);
  const rows = page.getByRole('table', { name: 'Rows' });
  await expect(rows.getByRole('row').nth(1)).toBeVisible();
  expect((await figuresIn(rows.getByRole('link')))[0]?.value).toBe(figures[0]?.value);
  await lookInBothSizes(page, 'report-saved');
});

/** Chance that is the same in every run. */
function dice(seed: number) {
  let state = seed;
  return <Item>(items: readonly Item[]): Item => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return items[Math.floor((state / 2 ** 32) * items.length)] as Item;
  };
}

const STATUSES = ['Pending', 'Complete_No_Variance', 'Complete_With_Variance', 'Undelivered', 'Rejected'];

/** Filters as an address has them. */
function randomFilters(draw: ReturnType<typeof dice>): string {
  const filter = (key: string, operator: string, ...values: string[]) => ({
    key,
    operator,
    values: values.map((value) => ({ label: value, value })),
  });
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  const filters = [
    draw([filter('dateRange', 'inDateRange', 'last7days'), filter('dateRange', 'inDateRange', day(draw([10, 20, 30])), day(draw([0, 3, 9])))]),
    ...draw([[], [filter('deliverystatus', draw(['equals', '!equals']), ...new Set([draw(STATUSES), draw(STATUSES)]))]]),
    ...draw([[], [filter('trucker', draw(['startsWith', '!contains', 'contains']), draw(['h', 'N', 'a', 'er']))]]),
    ...draw([[], [filter('customername', 'startsWith', draw(['a', 'B', 'm', 's']))]]),
    ...draw([[], [filter('scanmode', 'equals', draw(['Yes', 'No']))]]),
  ];
  return Buffer.from(JSON.stringify(filters)).toString('base64');
}

// E2E_REPORTS asks for more.
test('every figure of a report is the count of the list it opens, at random filters', async ({ page }) => {
  const reports = Number(process.env.E2E_REPORTS ?? 4);
  test.setTimeout(120_000 + reports * 30_000);
  await openDashboard(page);
  const draw = dice(Number(process.env.E2E_SEED ?? 20_261_123));
  let compared = 0;
  for (let report = 0; report < reports; report += 1) {
    const by = draw(['day', 'week', 'none']);
    const split = draw(['Delivery.deliverystatus', 'Delivery.trucker', 'CustomerReport.customername', 'Delivery.scanmode']);
    const address = `/report?${new URLSearchParams({ filters: randomFilters(draw), by, split })}`;
    await page.goto(address);
    const rows = page.getByRole('table').last();
    await expect(rows.or(page.getByRole('heading', { name: 'Nothing to report' }))).toBeVisible();
    const figures = await figuresIn(page.getByRole('table').getByRole('link'));
    for (const figure of new Set(figures.length > 0 ? [draw(figures), draw(figures)] : [])) {
      expect(await listed(page, figure.address), `${address} leads to ${figure.address}`).toBe(figure.value);
      compared += 1;
    }
  }
  expect(compared).toBeGreaterThan(reports / 2);
});

test('the query lab runs a query, from the builder and as JSON, and shows its statement', async ({ page }) => {
  test.setTimeout(180_000);
  await page.goto('/query-lab');
  const run = page.getByRole('button', { name: /^Run query/ });
  await run.click();
  await expect(page.getByText(/^[\d,]+ rows?, \d+\.\d\d s, as of/)).toBeVisible();
  await expect(page.locator('svg.recharts-surface').first()).toBeVisible();
  await lookInBothSizes(page, 'query-lab');

  await page.getByRole('button', { name: 'JSON' }).click();
  const editor = page.getByRole('textbox', { name: 'Query as JSON' });
  await editor.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('{"measures": ["Delivery.count"], "dimensions": ["Delivery.deli"]}');
  // The members are offered for what is begun.
  for (let steps = 0; steps < 3; steps += 1) await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Control+Space');
  await expect(page.getByRole('option', { name: /^Delivery\.deliverystatus/ })).toBeVisible();
  await look(page, 'query-lab-json');
  await page.getByRole('option', { name: /^Delivery\.deliverystatus/ }).click();
  await page.keyboard.press('Control+Enter');
  const result = page.getByRole('table', { name: 'Result' });
  await expect(result.getByRole('row', { name: /^Complete_No_Variance/ })).toBeVisible();
  const { deliveriesCount } = await ask(page.context().request, '{ deliveriesCount { total } }');
  const counts = (await result.locator('tbody').getByRole('row').locator('td:last-child').allInnerTexts()).map(number);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(deliveriesCount.total);
  await page.getByRole('button', { name: 'SQL' }).click();
  await expect(page.getByRole('group', { name: 'Statement' })).toContainText(/select/i);
});
