import { readFileSync } from 'node:fs';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { declarations } from '@/app/declarations';
import { memberOfField } from '@/domain/analytics/delivery-filters';
import type { AnalyticsQuery } from '@/domain/analytics/query';
import { decodeFilters } from '@/list/filters-codec';
import { analyticsJson, analyticsPaths, dayRow } from '@/test/analytics';
import { reportSetting } from '@/test/announcements';
import { expectAccessible } from '@/test/axe';
import { type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
import { FIRST_REPORT, reportFields, settingInput } from './definition';
// Loaded up front, so that no test waits for a lazy import.
import './report-page';
import '@/ui/charts/plot';

const NOW = new Date('2026-11-20T07:04:00Z');
const TIME = 'Delivery.scheduledatetime';

let asked: AnalyticsQuery[];
let server: FakeServer;
let answer: Record<string, string | null>[] | Response;
let saved: Record<string, unknown> | null;
/** Whether the members of reports cannot be read. */
let isMembersDown: boolean;

const members = [
  ['Delivery.id', 'Delivery Doc', 'dimension'],
  ['Delivery.deliverystatus', 'Delivery Status', 'dimension'],
  ['Delivery.trucker', 'Trucker', 'dimension'],
  ['Variance.reason', 'Reason', 'dimension'],
  [TIME, 'Dispatch Date and Time', 'time'],
  ['Delivery.count', 'Deliveries', 'measure'],
  ['Delivery.pendingCount', 'Pending', 'measure'],
  ['Delivery.onTimeRate', 'On time', 'measure'],
].map(([member, title, kind]) => ({ __typename: 'ReportMember', member, title, kind }));

let reports: string[];

/** A page of saved reports, as the server returns it. */
function offered(page: unknown) {
  const { limit, offset } = page as { limit: number; offset: number };
  return reports.slice(offset, offset + limit).map((name) => ({ __typename: 'ReportSetting', id: `r-${name}`, name }));
}

beforeEach(() => {
  reports = ['By carrier'];
  vi.useFakeTimers({ now: NOW, shouldAdvanceTime: true, toFake: ['Date'] });
  answer = [dayRow('2026-11-16', 'Rejected', 10), dayRow('2026-11-16', 'Pending', 5), dayRow('2026-11-20', 'Pending', 140)];
  saved = null;
  isMembersDown = false;
  const analytics = analyticsPaths(({ dimensions = [] }) => {
    if (dimensions[0] === 'CustomerReport.customername') return [{ 'CustomerReport.customername': 'Bayan Mart Makati' }];
    return answer instanceof Response ? answer.clone() : answer;
  });
  asked = analytics.asked;
  server = startFakeServer({
    user: rosa,
    paths: analytics.paths,
    operations: {
      ReportPageMembers: () =>
        isMembersDown
          ? { errors: [{ message: 'Too busy', extensions: { code: 'UNAVAILABLE' } }] }
          : { data: { reportMembers: members } },
      SavedReports: ({ first, second }) => ({ data: { first: offered(first), second: offered(second) } }),
      SavedReport: () => ({ data: { reportSetting: saved } }),
      SaveNewReport: () => ({ data: { createReportSetting: { __typename: 'ReportSetting', id: 'r1', name: 'Mine' } } }),
      SaveReport: () => ({ data: { updateReportSetting: { __typename: 'ReportSetting', id: 'r1', version: 4 } } }),
    },
  });
});

async function open(address = '/report', found: string | RegExp = /^Deliveries by/) {
  const view = renderRoutes(declarations, address);
  await screen.findByRole('region', { name: found });
  return view;
}

const last = () => asked.findLast(({ measures }) => measures !== undefined);
const sent = (name: string) => server.calls.filter((call) => call.name === name).map(({ variables }) => variables);
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
    expect(last()).toEqual({
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

  it('is narrowed by a customer that the service offers for these days, and the lists it opens are too', async () => {
    const { user, address } = await open();
    await user.click(screen.getByRole('button', { name: /^Filter ?1?$/ }));
    await user.click(await screen.findByRole('button', { name: 'Customer Name' }));
    await user.type(screen.getByRole('combobox', { name: 'Value' }), 'bay');
    const dropdown = () => asked.findLast(({ dimensions }) => dimensions?.[0] === 'CustomerReport.customername');
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
      expect(last()?.filters).toEqual([
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
    answer = [{ 'Variance.reason': 'Wrong item', 'Delivery.count': '3' }, { 'Variance.reason': null, 'Delivery.count': '2' }];
    await user.selectOptions(screen.getByRole('combobox', { name: 'Time grouping' }), 'Whole range');
    await user.selectOptions(screen.getByRole('combobox', { name: 'Split by' }), 'Reason');
    await waitFor(() => expect(last()).toMatchObject({ dimensions: ['Variance.reason'], timeDimensions: [{ dimension: TIME }] }));
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
    await waitFor(() => expect(last()).toMatchObject({ dimensions: ['Variance.reason'] }));
    expect(last()?.timeDimensions).toEqual([{ dimension: TIME, dateRange: ['2026-11-14', '2026-11-20'] }]);
    expect(select('Time grouping')).toHaveDisplayValue('Whole range');
    expect(address()).toContain('split=');
  });

  it('offers every saved report, of which there may be 200', async () => {
    reports = Array.from({ length: 200 }, (_, index) => `Report ${index}`);
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
    const dimensions = [...registry.matchAll(/^ {4}dimension\("([^"]+)"/gm)].map(([, name]) => name);
    expect(defaultFilters.map(({ key }) => key).toSorted()).toEqual(dimensions.toSorted());
  });

  it('shows rates as such, without a sum', async () => {
    const { user } = await open();
    answer = [{ [`${TIME}.day`]: '2026-11-16T00:00:00.000', 'Delivery.onTimeRate': '94.25', 'Delivery.count': '4' }];
    await user.selectOptions(screen.getByRole('combobox', { name: 'Split by' }), 'Nothing');
    await user.selectOptions(screen.getByRole('combobox', { name: 'Measure' }), 'On time');
    const table = within(await screen.findByRole('table', { name: 'On time' }));
    expect(table.getByRole('row', { name: /^Nov 16/ })).toHaveTextContent('Nov 1694.3%');
    expect(table.getByRole('row', { name: /^Nov 17/ })).toHaveTextContent('Nov 17–');
  });

  it('says that the figures cannot be read, and that there are none', async () => {
    answer = analyticsJson({ error: 'The query limit has been exceeded.' }, 400, 'Bad Request');
    const { user } = renderRoutes(declarations, '/report');
    expect(
      await screen.findByText(/Error fetching Cube.js data: Bad Request. The query limit has been exceeded./),
    ).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Save as CSV' })).toBeDisabled();
    await expectAccessible();
    answer = [];
    await user.click(screen.getByRole('button', { name: 'Retry' }));
    expect(await screen.findByRole('heading', { name: 'Nothing to report' })).toBeInTheDocument();
  });
});

describe('a saved report', () => {
  const column = (member: string, label = '', visible = true) => ({ __typename: 'ReportColumn', member, label, visible, width: null });
  const open_ = () => open('/report?setting=r1', 'Rows');

  beforeEach(() => {
    saved = reportSetting('r1', {
      name: 'By carrier',
      version: 3,
      columns: [column('Delivery.trucker', 'Carrier'), column('Delivery.pendingCount'), column('Delivery.count'), column('Delivery.onTimeRate', '', false)],
      defaultFilters: [{ __typename: 'ReportFilter', key: 'Delivery.trucker', operator: 'startsWith', values: ['Hab'] }],
      rangeDays: 30,
      granularity: null,
      groupBy: ['Delivery.trucker'],
      sort: [{ __typename: 'ReportSort', member: 'Delivery.count', direction: 'desc' }],
    });
    answer = [{ 'Delivery.trucker': 'Habagat Fleet', 'Delivery.pendingCount': '4', 'Delivery.count': '12', 'Delivery.onTimeRate': '50' }];
  });

  it('opens with its columns, filters, range and order, and its figures lead to their lists', async () => {
    await open_();
    expect(last()).toEqual({
      measures: ['Delivery.pendingCount', 'Delivery.count', 'Delivery.onTimeRate'],
      dimensions: ['Delivery.trucker'],
      timeDimensions: [{ dimension: TIME, dateRange: ['2026-10-22', '2026-11-20'] }],
      filters: [{ member: 'Delivery.trucker', operator: 'startsWith', values: ['Hab'] }],
      order: [['Delivery.count', 'desc']],
      limit: 5000,
      timezone: 'Asia/Manila',
    });
    const rows = within(screen.getByRole('table', { name: 'Rows' }));
    expect(rows.getAllByRole('columnheader').map((head) => head.textContent)).toEqual(['Carrier', 'Pending', 'Deliveries']);
    expect(filtersOf(rows.getByRole('link', { name: '4' }))).toEqual([
      'dateRange inDateRange 2026-10-22 2026-11-20',
      'trucker equals Habagat Fleet',
      'deliverystatus equals Pending',
    ]);
    await expectAccessible();
  });

  it('shows a time grouping below an hour, which is offered like any other', async () => {
    saved = { ...saved, granularity: 'minute' };
    answer = [
      {
        'Delivery.trucker': 'Habagat Fleet',
        [`${TIME}.minute`]: '2026-11-16T09:41:00.000',
        'Delivery.pendingCount': '4',
        'Delivery.count': '12',
        'Delivery.onTimeRate': '50',
      },
    ];
    await open_();
    const grouping = screen.getByRole<HTMLSelectElement>('combobox', { name: 'Time grouping' });
    expect(grouping).toHaveDisplayValue('Minute');
    expect([...grouping.options].map(({ text }) => text)).toEqual([
      'Whole range',
      'Second',
      'Minute',
      'Hour',
      'Day',
      'Week',
      'Month',
      'Quarter',
      'Year',
    ]);
    expect(last()?.timeDimensions).toMatchObject([{ granularity: 'minute' }]);
    const rows = within(screen.getByRole('table', { name: 'Rows' }));
    expect(rows.getByRole('cell', { name: 'Nov 16, 9:41 AM' })).toBeInTheDocument();
  });

  it('is saved under another name by an administrator, as it is now', async () => {
    const { user, address } = await open_();
    await user.click(screen.getByRole('button', { name: 'Save' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Save as a new report' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Save as a new report' }));
    await user.click(dialog.getByRole('button', { name: 'Save' }));
    expect(dialog.getByLabelText(/^Name/)).toHaveAccessibleDescription('Name is required');
    await user.type(dialog.getByLabelText(/^Name/), 'Mine');
    await user.click(dialog.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(address()).toBe('/report?setting=r1'));
    expect(sent('SaveNewReport')[0]).toMatchObject({
      input: {
        reportSetting: {
          name: 'Mine',
          reportKey: 'deliveries',
          rangeDays: 30,
          granularity: null,
          groupBy: ['Delivery.trucker'],
          defaultFilters: [{ key: 'Delivery.trucker', operator: 'startsWith', values: ['Hab'] }],
          sort: [{ member: 'Delivery.count', direction: 'desc' }],
        },
      },
    });
  });

  it('keeps its changes when asked to, with the version that was read', async () => {
    const { user } = await open_();
    await user.selectOptions(screen.getByRole('combobox', { name: 'Time grouping' }), 'Week');
    await user.click(screen.getByRole('button', { name: 'Save' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Save changes to By carrier' }));
    expect(await screen.findByText('By carrier saved')).toBeInTheDocument();
    expect(sent('SaveReport')[0]).toMatchObject({
      input: { id: 'r1', version: 3, reportSetting: { name: 'By carrier', granularity: 'week' } },
    });
  });

  it('is not saved before its members are known, because only they tell its measures from its dimensions', async () => {
    isMembersDown = true;
    const { user } = renderRoutes(declarations, '/report?setting=r1');
    const retry = await screen.findByRole('button', { name: 'Retry' });
    const item = async (name: string) => {
      await user.click(screen.getByRole('button', { name: 'Save' }));
      return screen.findByRole('menuitem', { name });
    };
    const overwrite = await item('Save changes to By carrier');
    expect(overwrite).toHaveAttribute('aria-disabled', 'true');
    expect(screen.getByRole('menuitem', { name: 'Save as a new report' })).toHaveAttribute('aria-disabled', 'true');
    fireEvent.click(overwrite);
    await user.keyboard('{Escape}');
    expect(sent('SaveReport')).toEqual([]);
    expect(screen.getByRole('button', { name: 'Save as CSV' })).toBeDisabled();
    isMembersDown = false;
    await user.click(retry);
    await screen.findByRole('region', { name: 'Rows' });
    await user.click(await item('Save changes to By carrier'));
    await waitFor(() => expect(sent('SaveReport')).toHaveLength(1));
    expect(sent('SaveReport')[0]).toMatchObject({
      input: { reportSetting: { columns: [{ member: 'Delivery.trucker' }, {}, {}, {}], groupBy: ['Delivery.trucker'] } },
    });
  });

  it('that is there no more says so', async () => {
    saved = null;
    renderRoutes(declarations, '/report?setting=r9');
    expect(await screen.findByRole('heading', { name: 'Report not found' })).toBeInTheDocument();
  });
});

it('is read by a viewer, who saves nothing', async () => {
  server.signOut();
  startFakeServer({
    user: { ...rosa, roles: ['viewer'] },
    paths: analyticsPaths(() => [dayRow('2026-11-16', 'Rejected', 10)]).paths,
    operations: {
      ReportPageMembers: () => ({ data: { reportMembers: members } }),
      SavedReports: () => ({ data: { first: [], second: [] } }),
    },
  });
  await open();
  expect(screen.getByRole('button', { name: 'Save as CSV' })).toBeEnabled();
  expect(screen.queryByRole('button', { name: 'Save' })).not.toBeInTheDocument();
});
