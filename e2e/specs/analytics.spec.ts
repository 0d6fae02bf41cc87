// The figures on the dashboard, in reports and in the query lab equal the counts of the lists they link to.
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from '@playwright/test';
import { officeAccount } from '../support/accounts.ts';
import { ask, signIn } from '../support/api.ts';
import { filterOf, filtersIn, toAddress } from '../support/filters.ts';
import { expect, test } from '../support/fixtures.ts';
import { look, lookInBothSizes } from '../support/look.ts';

test.use({ as: 'admin' });

const number = (text: string) => Number(/[\d,]+/.exec(text)?.[0].replaceAll(',', ''));

/** Returns how many deliveries the list at an address shows. */
async function listed(page: Page, address: string): Promise<number> {
  await page.goto(address);
  const count = page.getByRole('status').filter({ hasText: /^[\d,]+ deliver(y|ies)$/ });
  await expect(count).toBeVisible();
  return number(await count.innerText());
}

/** The organization's time zone. It has no daylight saving time. */
const ZONE = { name: 'Asia/Manila', offset: '+08:00' };
const DAY = 86_400_000;
const dayAt = (time: number) => new Intl.DateTimeFormat('en-CA', { timeZone: ZONE.name }).format(time);
const begin = (day: string) => new Date(`${day}T00:00:00${ZONE.offset}`).getTime();

/** Returns the start and the end, as ISO times, of a date range, given its values in an address. */
function instants([first = '', second = first]: string[], now: number): string[] {
  if (first === 'past') return [new Date(0), new Date(now)].map((time) => time.toISOString());
  const last7days = first === 'last7days' ? 6 : 0;
  const isPreset = ['today', 'last7days'].includes(first);
  const [from, to] = isPreset ? [dayAt(now - last7days * DAY), dayAt(now)] : [first, second].toSorted();
  return [begin(from!), begin(to!) + DAY].map((time) => new Date(time).toISOString());
}

/** Returns how many deliveries the server counts for the filters in an address at a moment, without opening the list. */
async function counted(page: Page, address: string, now = Date.now()): Promise<number> {
  const where = filtersIn(address).map(({ key, operator, values }) => {
    const plain = values.map((it) => it.value);
    const isRange = operator === 'inDateRange';
    return { key: key === 'dateRange' ? 'scheduledatetime' : key, operator, values: isRange ? instants(plain, now) : plain };
  });
  const query = 'query Q($where: [Filter!]) { deliveriesCount(where: $where) { total exact } }';
  const { deliveriesCount } = await ask(page.context().request, query, { where });
  expect(deliveriesCount.exact).toBe(true);
  return deliveriesCount.total;
}

interface Figure {
  value: number;
  address: string;
  /** For a figure that depends on the time: the moment for which it was counted. */
  at?: number | undefined;
}

/** Returns the number and the address of each link that leads to the deliveries list. */
async function figuresIn(links: Locator): Promise<Figure[]> {
  const found = await links.evaluateAll((all) =>
    all.map((link) => ({ text: link.textContent ?? '', address: link.getAttribute('href') ?? '' })),
  );
  return found
    .filter(({ text, address }) => /^[\d,]+$/.test(text) && address.startsWith('/deliveries?'))
    .map(({ text, address }) => ({ value: number(text), address }));
}

const today = (page: Page) => page.getByRole('region', { name: 'Today' });

/** Opens the dashboard and waits until its figures include all of the demo data. */
async function openDashboard(page: Page) {
  const { deliveriesCount } = await ask(page.context().request, '{ deliveriesCount { total } }');
  expect(deliveriesCount.total).toBeGreaterThan(0);
  await page.goto('/');
  const week = page.getByRole('table', { name: 'Last 7 days vs. previous 7 days' });
  await expect(week).toBeVisible();
  const all = week.getByRole('row', { name: /^Deliveries/ }).getByRole('link').first();
  const address = await all.getAttribute('href');
  const elsewhere = await page.context().newPage();
  const expected = await listed(elsewhere, address!);
  await elsewhere.close();
  await expect(async () => expect(number(await all.innerText())).toBe(expected)).toPass();
}

/**
 * Follows the requests of the dashboard. Returns a function that returns the moment up to which it last counted late
 * deliveries: it moves by the minute, and so does their number.
 */
function followLate(page: Page): () => number | undefined {
  let end: number | undefined;
  page.on('response', (response) => {
    const { operationName, variables } = (response.url().endsWith('/graphql') && response.request().postDataJSON()) || {};
    if (operationName !== 'DashboardCounts') return;
    const due = variables.late.find(({ key }: { key: string }) => key === 'dueAt');
    end = Date.parse(due.values[1]);
  });
  return () => end;
}

test('every figure of the dashboard is the count of the list it opens', async ({ page }) => {
  test.setTimeout(240_000);
  const lateUntil = followLate(page);
  await openDashboard(page);
  await expect(page.getByRole('figure').first().locator('svg.recharts-surface').first()).toBeVisible();
  await lookInBothSizes(page, 'dashboard');

  const cards = await today(page).getByRole('link').all();
  // The cards show dispatched deliveries, each of the five statuses, two rates, deliveries with a variance, and
  // what needs attention.
  expect(cards.length).toBeGreaterThanOrEqual(12);
  const figures: Figure[] = [];
  for (const link of cards) {
    await expect(link.locator('.text-kpi')).toHaveText(/\d|–/);
    const shown = await link.locator('.text-kpi').innerText();
    // A rate links to the deliveries from which it is calculated.
    const share = /(?:of|among) ([\d,]+) (?:completed|processed)/.exec(await link.innerText());
    figures.push({ value: number(share?.[1] ?? shown), address: (await link.getAttribute('href'))!, at: lateUntil() });
  }
  figures.push(...(await figuresIn(page.getByRole('table', { name: 'Last 7 days vs. previous 7 days' }).getByRole('link'))));
  const chart = page.getByRole('region', { name: 'Deliveries by status' });
  await chart.getByRole('button', { name: 'Table' }).click();
  figures.push(...(await figuresIn(chart.getByRole('table').getByRole('link'))));
  const reasons = page.getByRole('region', { name: 'Failures by reason' }).getByRole('listitem').getByRole('link');
  // The demo data may have no failure in these days.
  for (const reason of await reasons.all()) {
    figures.push({ value: number(await reason.locator('.font-semibold').innerText()), address: (await reason.getAttribute('href'))! });
  }
  expect(figures.length).toBeGreaterThan(30);
  for (const figure of figures) {
    const isLate = filtersIn(figure.address).some(({ key }) => key === 'dueAt');
    expect(await counted(page, figure.address, isLate ? figure.at! : undefined), figure.address).toBe(figure.value);
  }
  // The list shows the number that the server counts.
  const [first] = figures;
  expect(await listed(page, first!.address)).toBe(first!.value);
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

  // Choose the options one after the other, as a person would, because each choice changes the address.
  for (const [name, option] of [['Time grouping', 'Whole range'], ['Split by', 'Trucker']] as const) {
    const choice = page.getByRole('combobox', { name, exact: true });
    await choice.selectOption(option);
    await expect(choice.locator('option:checked')).toHaveText(option);
  }
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('button', { name: 'Delivery Status' }).click();
  await page.getByRole('combobox', { name: 'Condition' }).selectOption('is not');
  await page.getByRole('checkbox', { name: 'Pending' }).check();
  await page.getByRole('button', { name: 'Apply' }).click();
  // When this button is visible, the table of the previous query is gone.
  await expect(page.getByRole('button', { name: 'Change filter: Delivery Status is not Pending' })).toBeVisible();
  const byTrucker = page.getByRole('table', { name: 'Deliveries', exact: true });
  await expect(byTrucker.getByRole('row').nth(1).getByRole('link')).toBeVisible();
  const address = page.url();
  const figures = await figuresIn(byTrucker.getByRole('link'));
  expect(figures.length).toBeGreaterThan(1);
  for (const figure of figures) expect(await counted(page, figure.address), figure.address).toBe(figure.value);
  expect(await listed(page, figures[0]!.address)).toBe(figures[0]!.value);

  await page.goto(address);
  await expect(byTrucker).toBeVisible();
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as CSV' }).click();
  const lines = (await readFile((await (await saving).path())!, 'utf8')).trim().split('\r\n');
  expect(lines[0]).toMatch(/Trucker,Deliveries$/);
  expect(lines).toHaveLength(1 + (await byTrucker.locator('tbody').getByRole('row').count()));

  const savingBook = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as Excel' }).click();
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

test('a report is saved with every filter that its page offers', async ({ page }) => {
  const name = `Every filter ${Math.random().toString(36).slice(2, 8)}`;
  const choices: Record<string, string> = { deliverystatus: 'Pending', shipmentstatus: 'Pending', scanmode: 'Yes', conflict: 'No' };
  const keys = [
    ...['id', 'customername', 'trucker', 'deliverystatus', 'outcomeReason', 'reason', 'scanmode', 'conflict'],
    ...['driverId', 'shipmentnumber', 'shipmentstatus'],
    ...['Driver.driverName', 'Delivery.source', 'Variance.kind', 'Variance.responsible'],
  ];
  const filters = toAddress(...keys.map((key) => filterOf(key, 'equals', choices[key] ?? 'a')));
  await page.goto(`/report?${new URLSearchParams({ filters })}`);
  // The date range is a filter, too.
  await expect(page.getByRole('button', { name: /^Change filter: / })).toHaveCount(keys.length + 1);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Save as a new report' }).click();
  await page.getByRole('dialog').getByLabel(/^Name/).fill(name);
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText(`${name} saved`)).toBeVisible();
  await expect(page).toHaveURL(/\/report\?setting=[\w-]+$/);
  await expect(page.getByRole('button', { name: /^Change filter: / })).toHaveCount(keys.length + 1);
});

/** Returns a pseudo-random generator that is the same in every run. */
function dice(seed: number) {
  let state = seed;
  return <Item>(items: readonly Item[]): Item => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return items[Math.floor((state / 2 ** 32) * items.length)] as Item;
  };
}

const STATUSES = ['Pending', 'Complete_No_Variance', 'Complete_With_Variance', 'Undelivered', 'Rejected'];

/** Returns random filters in the format of an address. */
function randomFilters(draw: ReturnType<typeof dice>): string {
  const day = (ago: number) => dayAt(Date.now() - ago * DAY);
  const filters = [
    draw([filterOf('dateRange', 'inDateRange', 'last7days'), filterOf('dateRange', 'inDateRange', day(draw([10, 20, 30])), day(draw([0, 3, 9])))]),
    ...draw([[], [filterOf('deliverystatus', draw(['equals', '!equals']), ...new Set([draw(STATUSES), draw(STATUSES)]))]]),
    ...draw([[], [filterOf('trucker', draw(['startsWith', '!contains', 'contains']), draw(['h', 'N', 'a', 'er']))]]),
    ...draw([[], [filterOf('customername', 'startsWith', draw(['a', 'B', 'm', 's']))]]),
    ...draw([[], [], [filterOf('scanmode', 'equals', draw(['Yes', 'No']))]]),
    ...draw([[], [], [filterOf('shipmentnumber', draw(['startsWith', 'contains', '!contains']), draw(['SHP', '1', '-00']))]]),
    ...draw([[], [], [filterOf('shipmentstatus', draw(['equals', '!equals']), draw(['Pending', 'Partial', 'Completed']))]]),
    ...draw([[], [], [filterOf('driverId', draw(['startsWith', 'contains', '!contains']), draw(['D', '1', '2']))]]),
    ...draw([[], [], [], [filterOf('outcomeReason', 'equals', draw(['recipient_absent', 'site_closed', 'refused_late']))]]),
    ...draw([[], [], [], [filterOf('conflict', 'equals', draw(['Yes', 'No']))]]),
  ];
  return toAddress(...filters);
}

// E2E_REPORTS sets the number of random reports, and E2E_SEED the seed from which they are drawn.
test('every figure of a report is the count of the list it opens, at random filters', async ({ page }) => {
  const reports = Number(process.env.E2E_REPORTS ?? 12);
  test.setTimeout(120_000 + reports * 15_000);
  await openDashboard(page);
  const draw = dice(Number(process.env.E2E_SEED ?? 20_261_123));
  let compared = 0;
  for (let report = 0; report < reports; report += 1) {
    const by = draw(['day', 'week', 'month', 'none']);
    const split = draw([
      'Delivery.deliverystatus',
      'Delivery.trucker',
      'CustomerReport.customername',
      'Delivery.scanmode',
      'Delivery.outcomeReason',
      'Delivery.conflict',
      'Driver.driverId',
      'Shipment.shipmentstatus',
    ]);
    const measure = draw(['Delivery.count', 'Delivery.count', 'Delivery.pendingCount', 'Delivery.completedCount']);
    const address = `/report?${new URLSearchParams({ filters: randomFilters(draw), by, split, measure })}`;
    await page.goto(address);
    const rows = page.getByRole('table').last();
    await expect(rows.or(page.getByRole('heading', { name: 'Nothing to report' }))).toBeVisible();
    const figures = await figuresIn(page.getByRole('table').getByRole('link'));
    for (const figure of new Set(figures.length > 0 ? Array.from({ length: 8 }, () => draw(figures)) : [])) {
      expect(await counted(page, figure.address), `${address} leads to ${figure.address}`).toBe(figure.value);
      compared += 1;
    }
  }
  // Some random filters match few deliveries, depending on the hour at which the demo data was created.
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
  // Completion offers the members that start with the typed text.
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
  await expect(page.getByRole('group', { name: 'SQL statement' })).toContainText(/select/i);
});

test('a query is saved, shared, and run by another administrator, who cannot change it', async ({ page, browser }) => {
  test.setTimeout(180_000);
  await page.goto('/query-lab');
  const tabs = page.getByRole('navigation', { name: 'Query tabs' });
  const choose = async (item: string) => {
    await page.getByRole('button', { name: 'Save or share' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await choose('Save as a new query');
  const dialog = page.getByRole('dialog', { name: 'Save this query' });
  await dialog.getByLabel('Name').fill('Week by status');
  await page.keyboard.press('Enter');
  await expect(tabs.getByRole('button', { name: 'Week by status', exact: true })).toBeVisible();
  await page.getByRole('button', { name: /^Remove Delivery Status/ }).click();
  await expect(page.getByText('Week by status · Unsaved changes')).toBeVisible();
  await choose('Save changes to this query');
  await choose('Share with administrators');
  await expect(page.getByText('Week by status · Shared', { exact: true })).toBeVisible();

  const other = await officeAccount(page.context().request, 'lab-colleague', ['admin']);
  const context = await browser.newContext();
  await signIn(context.request, other);
  const theirs = await context.newPage();
  await theirs.goto('/query-lab');
  await theirs.getByRole('button', { name: 'Saved queries' }).click();
  const panel = theirs.getByRole('dialog', { name: 'Saved queries' });
  await look(theirs, 'query-lab-saved');
  await panel.getByRole('button', { name: /^Week by status/ }).click();
  await expect(theirs.getByText('Shared by maria')).toBeVisible();
  await expect(theirs.getByRole('button', { name: 'Save or share' })).toBeHidden();
  await theirs.getByRole('button', { name: 'Run query' }).press('Enter');
  await expect(theirs.getByText(/^[\d,]+ rows?, \d+\.\d\d s, as of/)).toBeVisible();
  await lookInBothSizes(theirs, 'query-lab-shared');
  // The audit log has the run under the colleague's name, with the name of the stored query.
  const entries = await ask(
    page.context().request,
    'query Q($page: PageOptions) { auditEntries(page: $page) { actor action entityName } }',
    { page: { where: [{ key: 'action', operator: 'equals', values: ['analytics.queried'] }], limit: 1 } },
  );
  expect(entries.auditEntries[0]).toMatchObject({ actor: 'lab-colleague', entityName: 'Week by status' });

  // The colleague cannot run the query once it is no longer shared.
  await choose('Stop sharing');
  await expect(page.getByText('Week by status is no longer shared')).toBeVisible();
  await theirs.getByRole('button', { name: 'Run query' }).click();
  await expect(theirs.getByText(/This query was deleted, or is no longer shared/)).toBeVisible();
  await theirs.reload();
  await expect(theirs.getByRole('heading', { name: 'Week by status is no longer shared' })).toBeVisible();
  await theirs.getByRole('button', { name: 'Close this tab' }).click();
  await context.close();
  await choose('Delete');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(tabs.getByRole('button', { name: 'Week by status', exact: true })).toBeVisible();
});
