import { readFileSync } from 'node:fs';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { declarations } from '@/app/declarations';
import { memberOfField } from '@/domain/analytics/delivery-filters';
import { decodeFilters, encodeFilters } from '@/list/filters-codec';
import { analyticsJson, analyticsPaths, dayRow } from '@/test/analytics';
import { expectAccessible } from '@/test/axe';
import { returnAt } from '@/test/clock';
import { rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
import { reportPageMembers, startReportPage, TIME } from '@/test/report-page';
import { FIRST_REPORT, reportFields, settingInput } from './definition';
// Loaded up front, so that no test waits for a lazy import.
import './report-page';
import '@/ui/charts/plot';

let page: ReturnType<typeof startReportPage>;
beforeEach(() => {
  page = startReportPage();
});

/** Returns the text and the names of the files that the browser would save. */
function watchDownload() {
  let blob: Blob | undefined;
  URL.createObjectURL = (object) => {
    blob = object as Blob;
    return 'blob:1';
  };
  URL.revokeObjectURL = () => undefined;
  const names: string[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function save(this: HTMLAnchorElement) {
    names.push(this.download);
  });
  return { names, text: () => blob?.text() };
}

async function open(address = '/report', found: string | RegExp = /^Deliveries by/) {
  const view = renderRoutes(declarations, address);
  await screen.findByRole('region', { name: found });
  return view;
}

function filtersOf(link: HTMLElement) {
  const { searchParams } = new URL(link.getAttribute('href') ?? '', 'http://localhost');
  return decodeFilters(searchParams.get('filters')).filters.map(({ key, operator, values }) =>
    [key, operator, ...values.map(({ value }) => value)].join(' '),
  );
}

describe('the report', () => {
  it('opens with the last seven days, today among them, by day and status', async () => {
    await open();
    expect(screen.getByRole('button', { name: 'Change filter: Date Range is in Last 7 days' })).toBeInTheDocument();
    expect(page.last()).toEqual({
      measures: ['Delivery.count'],
      dimensions: ['Delivery.deliverystatus'],
      timeDimensions: [{ dimension: TIME, dateRange: ['2026-11-14', '2026-11-20'], granularity: 'day' }],
      limit: 5000,
      timezone: 'Asia/Manila',
    });
    const table = within(screen.getByRole('table', { name: 'Deliveries by Delivery Status' }));
    expect(table.getAllByRole('columnheader').map((head) => head.textContent)).toEqual(['Day', 'Rejected', 'Pending', 'Total']);
    expect(table.getByRole('row', { name: /^Nov 16/ })).toHaveTextContent('Nov 1610515');
    expect(table.getByRole('row', { name: /^Total/ })).toHaveTextContent('Total10145155');
    expect(filtersOf(within(table.getByRole('row', { name: /^Nov 20/ })).getAllByRole('link')[0] as HTMLElement)).toEqual([
      'dateRange inDateRange 2026-11-20 2026-11-20',
      'deliverystatus equals Pending',
    ]);
    await expectAccessible();
  });

  it('offers only units of time that its range is short enough for', async () => {
    const days = (from: string, to: string) =>
      encodeFilters([{ key: 'dateRange', operator: 'inDateRange', values: [{ label: from, value: from }, { label: to, value: to }] }]);
    await open(`/report?filters=${encodeURIComponent(days('2026-11-13', '2026-11-20'))}`);
    const grouping = within(screen.getByRole('combobox', { name: 'Time grouping' }));
    expect(grouping.getByRole('option', { name: 'Second' })).toBeDisabled();
    expect(grouping.getByRole('option', { name: 'Minute' })).toBeEnabled();
  });

  it('is narrowed by a customer that the service offers for these days, and the lists it opens are too', async () => {
    const { user, address } = await open();
    await user.click(screen.getByRole('button', { name: /^Filter ?1?$/ }));
    await user.click(await screen.findByRole('button', { name: 'Customer Name' }));
    await user.type(screen.getByRole('combobox', { name: 'Value' }), 'bay');
    const dropdown = () => page.asked.findLast(({ dimensions }) => dimensions?.[0] === 'CustomerReport.customername');
    // Values are offered before the text is complete, too.
    await waitFor(() =>
      expect(dropdown()).toEqual({
        dimensions: ['CustomerReport.customername'],
        filters: [{ member: 'CustomerReport.customername', operator: 'startsWith', values: ['bay'] }],
        timeDimensions: [{ dimension: TIME, dateRange: ['2026-11-14', '2026-11-20'] }],
        order: { 'CustomerReport.customername': 'asc' },
        limit: 100,
        timezone: 'Asia/Manila',
      }),
    );
    await user.click(await screen.findByRole('option', { name: 'Bayan Mart Makati' }));
    await user.selectOptions(screen.getByRole('combobox', { name: 'Condition' }), 'is');
    await user.click(screen.getByRole('button', { name: 'Apply' }));
    await waitFor(() =>
      expect(page.last()?.filters).toEqual([
        { member: 'CustomerReport.customername', operator: 'equals', values: ['Bayan Mart Makati'] },
      ]),
    );
    expect(address()).toContain('filters=');
    const [link] = await screen.findAllByRole('link', { name: '155' });
    expect(filtersOf(link as HTMLElement)).toEqual([
      'dateRange inDateRange 2026-11-14 2026-11-20',
      'customername equals Bayan Mart Makati',
    ]);
    // Every report has a date range.
    await user.click(screen.getByRole('button', { name: 'Remove filter: Date Range is in Last 7 days' }));
    expect(screen.getByRole('button', { name: 'Change filter: Date Range is in Last 7 days' })).toBeInTheDocument();
  });

  it('is grouped by other times and fields; what lists count otherwise leads nowhere', async () => {
    const { user } = await open();
    page.answers.rows = [{ 'Variance.reason': 'Wrong item', 'Delivery.count': '3' }, { 'Variance.reason': null, 'Delivery.count': '2' }];
    await user.selectOptions(screen.getByRole('combobox', { name: 'Time grouping' }), 'Whole range');
    await user.selectOptions(screen.getByRole('combobox', { name: 'Split by' }), 'Reason');
    await waitFor(() => expect(page.last()).toMatchObject({ dimensions: ['Variance.reason'], timeDimensions: [{ dimension: TIME }] }));
    const table = within(await screen.findByRole('table', { name: 'Deliveries' }));
    expect(table.getByRole('row', { name: /^Wrong item/ })).toHaveTextContent('Wrong item3');
    expect(table.getByRole('row', { name: /^None/ })).toHaveTextContent('None2');
    expect(table.queryByRole('link')).not.toBeInTheDocument();
    // A delivery can have several reasons, so totals would be wrong.
    expect(table.queryByRole('row', { name: /^Total/ })).not.toBeInTheDocument();
  });

  it('keeps a choice that was made before the one ahead of it was drawn', async () => {
    const { address } = await open();
    const select = (name: string) => screen.getByRole('combobox', { name }) as HTMLSelectElement;
    const valueOf = (name: string, text: string) => {
      const option = [...select(name).options].find((one) => one.text === text);
      return { target: { value: option?.value } };
    };
    act(() => {
      fireEvent.change(select('Time grouping'), valueOf('Time grouping', 'Whole range'));
      fireEvent.change(select('Split by'), valueOf('Split by', 'Reason'));
    });
    await waitFor(() => expect(page.last()).toMatchObject({ dimensions: ['Variance.reason'] }));
    expect(page.last()?.timeDimensions).toEqual([{ dimension: TIME, dateRange: ['2026-11-14', '2026-11-20'] }]);
    expect(select('Time grouping')).toHaveDisplayValue('Whole range');
    expect(address()).toContain('split=');
  });

  it('ignores fields of a link that reports do not have', async () => {
    await open('/report?split=Delivery.customername&measure=Delivery.weight');
    await waitFor(() => expect(page.last()).toMatchObject({ measures: ['Delivery.count'], dimensions: ['Delivery.deliverystatus'] }));
    expect(screen.getByRole('combobox', { name: 'Split by' })).toHaveDisplayValue('Delivery Status');
  });

  it('offers every saved report, of which there may be 200', async () => {
    page.answers.names = Array.from({ length: 200 }, (_, index) => `Report ${index}`);
    const { user } = await open();
    await user.click(screen.getByRole('button', { name: /^Open report/ }));
    const menu = within(await screen.findByRole('menu'));
    await menu.findByRole('menuitem', { name: 'Report 199' });
    expect(menu.getAllByRole('menuitem', { name: /^Report \d+$/ })).toHaveLength(200);
  });

  it('filters by every dimension under the name that the service has for it', () => {
    const keys = reportFields(() => ({ limit: 1, search: () => Promise.resolve([]) })).map(({ key }) => key).filter((key) => key !== 'dateRange');
    const filters = keys.map((key) => ({ key, operator: 'equals' as const, values: [{ label: 'a', value: 'a' }] }));
    const range = { from: '2026-11-14', to: '2026-11-20' };
    const { defaultFilters } = settingInput(FIRST_REPORT, filters, range, memberOfField);
    // The server's registry of members has one member per line.
    const registry = readFileSync('../proto/src/members.rs', 'utf8');
    const dimensions = [...registry.matchAll(/^ {4}(?:dimension|choice)\("([^"]+)"/gm)].map(([, name]) => name);
    expect(defaultFilters.map(({ key }) => key).toSorted()).toEqual(dimensions.toSorted());
  });

  it('saves a filter of more values than the server takes as several filters', () => {
    const values = Array.from({ length: 51 }, (_, at) => ({ label: `${at}`, value: `${at}` }));
    const range = { from: '2026-11-14', to: '2026-11-20' };
    const filters = [{ key: 'trucker', operator: 'equals' as const, values }];
    const { defaultFilters } = settingInput(FIRST_REPORT, filters, range, memberOfField);
    const texts = values.map(({ value }) => value);
    expect(defaultFilters).toEqual([
      { key: 'Delivery.trucker', operator: 'equals', values: texts.slice(0, 50) },
      { key: 'Delivery.trucker', operator: 'equals', values: texts.slice(50) },
    ]);
  });

  it('adds up what the chart has no room for, so that its total is that of its list', async () => {
    const { user } = await open();
    page.answers.rows = Array.from({ length: 62 }, (_, index) => ({ 'Delivery.trucker': `T${index}`, 'Delivery.count': '2' }));
    await user.selectOptions(screen.getByRole('combobox', { name: 'Time grouping' }), 'Whole range');
    await user.selectOptions(screen.getByRole('combobox', { name: 'Split by' }), 'Trucker');
    const table = within(await screen.findByRole('table', { name: 'Deliveries' }));
    const others = table.getByRole('row', { name: /^Other/ });
    expect(others).toHaveTextContent('Other6');
    expect(within(others).queryByRole('link')).not.toBeInTheDocument();
    expect(table.getByRole('row', { name: /^Total/ })).toHaveTextContent('Total124');
    expect(screen.queryByRole('table', { name: 'Rows' })).not.toBeInTheDocument();
  });

  it('says how many rates the chart has no room for, and lists all of them', async () => {
    const { user } = await open();
    page.answers.rows = Array.from({ length: 10 }, (_, index) => ({
      [`${TIME}.day`]: '2026-11-16T00:00:00.000',
      'Delivery.trucker': `T${index}`,
      'Delivery.onTimeRate': '50',
      'Delivery.count': '2',
    }));
    await user.selectOptions(screen.getByRole('combobox', { name: 'Split by' }), 'Trucker');
    await user.selectOptions(screen.getByRole('combobox', { name: 'Measure' }), 'On time');
    expect(await screen.findByText("2 more values aren't in the chart. Save as CSV to get all rows.")).toBeInTheDocument();
    expect(within(screen.getByRole('table', { name: 'Rows' })).getAllByRole('row')).toHaveLength(11);
  });

  it('has no past, which has no first day, and says so of a link that asks for it', async () => {
    const filters = encodeFilters([{ key: 'dateRange', operator: 'inDateRange', values: [{ label: 'past', value: 'past' }] }]);
    const { user, address } = await open(`/report?filters=${filters}`);
    expect(await screen.findByText(/couldn't be used/)).toBeInTheDocument();
    expect(page.last()?.timeDimensions).toMatchObject([{ dateRange: ['2026-11-14', '2026-11-20'] }]);
    expect(address()).not.toContain(filters);
    await user.click(screen.getByRole('button', { name: 'Change filter: Date Range is in Last 7 days' }));
    const periods = await screen.findByRole('group', { name: 'Period' });
    expect(within(periods).getAllByRole('radio').map((radio) => (radio as HTMLInputElement).labels?.[0]?.textContent)).toEqual([
      'Today',
      'Yesterday',
      'Tomorrow',
      'Last 7 days',
      'This month',
      'Custom',
    ]);
  });

  it('takes the first date range of a link, and says that it leaves out others', async () => {
    const range = (...days: string[]) => ({ key: 'dateRange', operator: 'inDateRange' as const, values: days.map((day) => ({ label: day, value: day })) });
    const [first, second] = [range('2026-11-01', '2026-11-03'), range('2026-11-10', '2026-11-12')];
    const { address } = await open(`/report?filters=${encodeFilters([first, second])}`);
    expect(await screen.findByText(/couldn't be used/)).toBeInTheDocument();
    expect(screen.getAllByRole('button', { name: /^Change filter: / })).toHaveLength(1);
    expect(page.last()?.timeDimensions).toMatchObject([{ dateRange: ['2026-11-01', '2026-11-03'] }]);
    expect(decodeFilters(new URL(address(), 'http://localhost').searchParams.get('filters')).filters).toEqual([first]);
  });

  it('is saved as a file with whole dates', async () => {
    const { user } = await open();
    const file = watchDownload();
    await user.click(screen.getByRole('button', { name: 'Save as CSV' }));
    expect(await file.text()).toContain('Dispatch Date and Time,Delivery Status,Deliveries\r\n2026-11-16,Rejected,10\r\n');
  });

  it('is read again when its tab was away for some minutes, and says when its figures are from', async () => {
    await open();
    expect(screen.getByText('As of Nov 20, 2026 3:04 PM')).toBeInTheDocument();
    page.answers.rows = [dayRow('2026-11-20', 'Pending', 150)];
    returnAt('2026-11-20T07:14:00Z');
    expect(await screen.findByText('As of Nov 20, 2026 3:14 PM')).toBeInTheDocument();
    expect(screen.getByRole('table', { name: 'Deliveries by Delivery Status' })).toHaveTextContent('Nov 20150');
  });

  it('is saved under the day that its figures are from', async () => {
    const { user } = await open();
    const { names } = watchDownload();
    vi.setSystemTime(new Date('2026-11-20T16:00:10Z'));
    await user.click(screen.getByRole('button', { name: 'Save as CSV' }));
    expect(names).toEqual(['report-2026-11-20.csv']);
  });

  it('shows rates as such, without a sum', async () => {
    const { user } = await open();
    page.answers.rows = [{ [`${TIME}.day`]: '2026-11-16T00:00:00.000', 'Delivery.onTimeRate': '94.25', 'Delivery.count': '4' }];
    await user.selectOptions(screen.getByRole('combobox', { name: 'Split by' }), 'Nothing');
    await user.selectOptions(screen.getByRole('combobox', { name: 'Measure' }), 'On time');
    const table = within(await screen.findByRole('table', { name: 'On time' }));
    expect(table.getByRole('row', { name: /^Nov 16/ })).toHaveTextContent('Nov 1694.3%');
    expect(table.getByRole('row', { name: /^Nov 17/ })).toHaveTextContent('Nov 17–');
  });

  it('says that the figures cannot be read, and that there are none', async () => {
    page.answers.rows = analyticsJson({ error: 'The query limit has been exceeded.' }, 400, 'Bad Request');
    const { user } = renderRoutes(declarations, '/report');
    expect(
      await screen.findByText(/Error fetching Cube.js data: Bad Request. The query limit has been exceeded./),
    ).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Save as CSV' })).toBeDisabled();
    await expectAccessible();
    page.answers.rows = [];
    await user.click(screen.getByRole('button', { name: 'Retry' }));
    expect(await screen.findByRole('heading', { name: 'Nothing to report' })).toBeInTheDocument();
  });
});

it('is read by a viewer, who saves nothing', async () => {
  page.signOut();
  startFakeServer({
    user: { ...rosa, roles: ['viewer'] },
    paths: analyticsPaths(() => [dayRow('2026-11-16', 'Rejected', 10)]).paths,
    operations: {
      ReportPageMembers: () => ({ data: { reportMembers: reportPageMembers } }),
      SavedReports: () => ({ data: { first: [], second: [] } }),
    },
  });
  await open();
  expect(screen.getByRole('button', { name: 'Save as CSV' })).toBeEnabled();
  expect(screen.queryByRole('button', { name: 'Save' })).not.toBeInTheDocument();
});
