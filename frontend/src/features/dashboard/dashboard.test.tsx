import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { declarations } from '@/app/declarations';
import type { AnalyticsQuery } from '@/domain/analytics/query';
import { decodeFilters } from '@/list/filters-codec';
import { analyticsJson, analyticsPaths, dayRow } from '@/test/analytics';
import { expectAccessible } from '@/test/axe';
import { deliveryRow } from '@/test/deliveries';
import { type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
// Loaded up front, so that no test waits for a lazy import.
import './dashboard-page';
import '@/ui/charts/plot';

// 3 PM on a Friday in Manila.
const NOW = new Date('2026-11-20T07:04:00Z');

const rows = [
  dayRow('2026-11-20', 'Complete_No_Variance', 300),
  dayRow('2026-11-20', 'Complete_With_Variance', 40),
  dayRow('2026-11-20', 'Undelivered', 20),
  dayRow('2026-11-20', 'Pending', 140),
  dayRow('2026-11-16', 'Complete_No_Variance', 200),
  dayRow('2026-11-16', 'Rejected', 10),
  dayRow('2026-11-13', 'Complete_No_Variance', 450),
];

let failing: Response | undefined;
let countsFail: boolean;
let countsHeld: Promise<void> | undefined;
let server: FakeServer;
let asked: AnalyticsQuery[];
let answer: typeof rows;

function rowsOf({ measures = [], dimensions = [], timeDimensions = [] }: AnalyticsQuery) {
  if (failing) return failing.clone();
  if (measures.includes('Delivery.onTimeRate')) {
    const isToday = JSON.stringify(timeDimensions).includes('["2026-11-20","2026-11-20"]');
    return [{ 'Delivery.onTimeRate': isToday ? '94.25' : '90', 'Delivery.firstAttemptRate': isToday ? null : '88' }];
  }
  if (dimensions.includes('Delivery.outcomeReason')) {
    return [
      { 'Delivery.outcomeReason': 'recipient_absent', 'Delivery.deliverystatus': 'Undelivered', 'Delivery.count': '18' },
      { 'Delivery.outcomeReason': 'other', 'Delivery.deliverystatus': 'Rejected', 'Delivery.count': '10' },
      { 'Delivery.outcomeReason': 'other', 'Delivery.deliverystatus': 'Undelivered', 'Delivery.count': '2' },
    ];
  }
  return answer;
}

beforeEach(() => {
  vi.useFakeTimers({ now: NOW, shouldAdvanceTime: true, toFake: ['Date', 'setInterval', 'clearInterval'] });
  failing = undefined;
  countsFail = false;
  countsHeld = undefined;
  answer = rows;
  const analytics = analyticsPaths(rowsOf);
  asked = analytics.asked;
  const count = (total: number, exact = true) => ({ __typename: 'Count', total, exact });
  const reason = (code: string, label: string, appliesTo: string) => ({ __typename: 'Reason', code, label, appliesTo, order: 1 });
  server = startFakeServer({
    user: rosa,
    paths: analytics.paths,
    operations: {
      DashboardCounts: async () => {
        await countsHeld;
        return countsFail
          ? { errors: [{ message: 'Too busy' }] }
          : { data: { late: count(12), lateDrivers: count(5), unassigned: count(10_000, false), conflicts: count(0) } };
      },
      DashboardLate: () => ({
        data: {
          deliveries: [
            { ...deliveryRow(1184102), scheduledatetime: '2026-11-20T01:00:00Z', timeWindowEnd: '2026-11-20T05:30:00Z', driverId: 'D-7', driver: { __typename: 'Driver', driverId: 'D-7', name: 'Edwin Salazar' } },
            { ...deliveryRow(1184103), scheduledatetime: '2026-11-17T01:00:00Z', timeWindowEnd: null, driver: null },
          ],
        },
      }),
      DeadLettersToFixCount: () => ({ data: { deliveryDeadLettersCount: count(12) } }),
      ReasonsLookup: () => ({
        data: {
          reasons: [
            reason('recipient_absent', 'Recipient absent', 'undelivered'),
            reason('other', 'Other reason', 'rejected'),
            reason('other', 'Other reason', 'undelivered'),
          ],
        },
      }),
    },
  });
});

async function open() {
  const view = renderRoutes(declarations, '/');
  await screen.findByRole('heading', { level: 1, name: 'Dashboard' });
  return view;
}

const today = () => within(screen.getByRole('region', { name: 'Today' }));
const figure = (label: string | RegExp) => today().getByRole('link', { name: label });

/** Returns the filters in a link to the list, each as key, operator and values. */
function filtersOf(link: HTMLElement) {
  const address = new URL(link.getAttribute('href') ?? '', 'http://localhost');
  expect(address.pathname).toBe('/deliveries');
  return decodeFilters(address.searchParams.get('filters')).filters.map(({ key, operator, values }) =>
    [key, operator, ...values.map(({ value }) => value)].join(' '),
  );
}

describe('the dashboard', () => {
  it('leads administrators to dead letters', async () => {
    await open();
    expect(await screen.findByText('Dead letters to fix: 12')).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Show dead letters' })).toHaveAttribute('href', '/admin/settings/dead-letters');
    const drawer = within(screen.getAllByRole('navigation', { name: 'Primary' })[0] as HTMLElement);
    expect(drawer.getByRole('link', { name: /^Settings/ })).toHaveTextContent('12');
  });

  it('shows today at a glance, and each figure leads to the list of what it counts', async () => {
    await open();
    expect(await today().findByText('500')).toBeInTheDocument();
    expect(figure(/Dispatched today/)).toHaveTextContent('500+50 vs. last Friday');
    expect(filtersOf(figure(/Dispatched today/))).toEqual(['dateRange inDateRange today']);
    expect(figure(/^Pending/)).toHaveTextContent('14028% of today');
    expect(filtersOf(figure(/^Pending/))).toEqual(['dateRange inDateRange today', 'deliverystatus equals Pending']);
    expect(figure(/^Undelivered/)).toHaveTextContent('206% of all processed');
    expect(figure(/^On time/)).toHaveTextContent('94.3%among 340 completed');
    expect(filtersOf(figure(/^On time/))).toEqual([
      'dateRange inDateRange 2026-11-20 2026-11-20',
      'deliverystatus equals Complete_No_Variance Complete_With_Variance',
    ]);
    expect(figure(/On first attempt/)).toHaveTextContent('of 360 processed');
    expect(filtersOf(figure(/On first attempt/)).at(-1)).toBe('deliverystatus !equals Pending');
    // An unknown figure must not be shown as zero.
    expect(figure(/On first attempt/)).toHaveTextContent('–');
    await waitFor(() => expect(figure(/^Late/)).toHaveTextContent('12past due, with 5 drivers'));
    expect(filtersOf(figure(/^Late/))).toEqual(['deliverystatus equals Pending', 'dueAt inDateRange past']);
    expect(figure(/^Unassigned/)).toHaveTextContent('10,000+');
    expect(figure(/^Conflicts/)).toHaveTextContent('0');
    await expectAccessible();
  });

  it('counts by day and status, in a chart with a table of the same figures', async () => {
    const { user } = await open();
    const panel = within(await screen.findByRole('region', { name: 'Deliveries by status' }));
    expect(panel.getByText(/710 deliveries in the last 7 days, compared with 450 in the 7 days before/)).toBeInTheDocument();
    await user.click(panel.getByRole('button', { name: 'Table' }));
    const table = within(panel.getByRole('table', { name: 'Deliveries by status' }));
    const monday = table.getByRole('row', { name: /^Nov 16/ });
    expect(monday).toHaveTextContent('Nov 162000010' .slice(0, 6));
    const rejected = within(monday).getByRole('link', { name: '10' });
    expect(filtersOf(rejected)).toEqual(['dateRange inDateRange 2026-11-16 2026-11-16', 'deliverystatus equals Rejected']);
    const all = within(table.getByRole('row', { name: /^Total/ })).getByRole('link', { name: '710' });
    expect(filtersOf(all)).toEqual(['dateRange inDateRange 2026-11-14 2026-11-20']);
    await expectAccessible();
  });

  it('compares the last seven days with the seven before', async () => {
    await open();
    const table = within(await screen.findByRole('table', { name: 'Last 7 days vs. previous 7 days' }));
    expect(table.getByRole('row', { name: /^Deliveries/ })).toHaveTextContent('710450+58%');
    expect(table.getByRole('row', { name: /^On time/ })).toHaveTextContent('90%90%±0 pts');
    const before = within(table.getByRole('row', { name: /^Deliveries/ })).getByRole('link', { name: '450' });
    expect(filtersOf(before)).toEqual(['dateRange inDateRange 2026-11-07 2026-11-13']);
  });

  it('says why deliveries failed, and who is late', async () => {
    await open();
    const reasons = within(await screen.findByRole('region', { name: 'Failures by reason' }));
    const absent = await reasons.findByRole('link', { name: /Recipient absent/ });
    expect(absent).toHaveTextContent('1860%');
    expect(filtersOf(absent)).toEqual([
      'dateRange inDateRange 2026-11-14 2026-11-20',
      'outcomeReason equals recipient_absent',
      'deliverystatus equals Undelivered',
    ]);
    expect(filtersOf(reasons.getByRole('link', { name: /Other reason/ })).at(-1)).toBe(
      'deliverystatus equals Rejected Undelivered',
    );
    const late = within(await screen.findByRole('table', { name: 'Late deliveries' }));
    expect(late.getByRole('row', { name: /DR-1184102/ })).toHaveTextContent(/Edwin Salazar.*1 h 34 min.*1:30 PM/);
    expect(late.getByRole('row', { name: /DR-1184103/ })).toHaveTextContent(/Unassigned.*3 d/);
    // Sorted by dispatch, deliveries of early windows would hide later ones that are more overdue.
    const asked = server.calls.find(({ name }) => name === 'DashboardLate');
    expect(asked?.variables).toMatchObject({ page: { sort: [{ key: 'dueAt', direction: 'asc' }], limit: 8 } });
  });

  it('follows by itself, without asking in other words', async () => {
    await open();
    await today().findByText('500');
    const before = asked.length;
    answer = [dayRow('2026-11-20', 'Pending', 7)];
    await vi.advanceTimersByTimeAsync(5000);
    expect(await today().findByRole('link', { name: /Dispatched today ?7/ })).toBeInTheDocument();
    expect(new Set(asked.slice(before).map((query) => JSON.stringify(query)))).toEqual(
      new Set(asked.slice(0, before).map((query) => JSON.stringify(query))),
    );
  });

  it('asks for no figures while its session has ended', async () => {
    const { auth } = await open();
    await today().findByText('500');
    act(() => auth.expire());
    const before = asked.length;
    await act(() => vi.advanceTimersByTimeAsync(60_000));
    expect(asked).toHaveLength(before);
  });

  it('says what is missing when the figures cannot be read, and keeps the last ones when they could', async () => {
    failing = analyticsJson({ error: 'down' }, 503, 'Service Unavailable');
    const { user } = await open();
    expect(await screen.findByText(/Error fetching Cube.js data: Service Unavailable/)).toBeInTheDocument();
    expect(await screen.findByRole('table', { name: 'Late deliveries' })).toBeInTheDocument();
    await expectAccessible();
    failing = undefined;
    await user.click(screen.getByRole('button', { name: 'Retry' }));
    expect(await today().findByText('500')).toBeInTheDocument();
    failing = analyticsJson({ error: 'down' }, 503, 'Service Unavailable');
    await vi.advanceTimersByTimeAsync(5000);
    expect(await screen.findByText(/Couldn't refresh. Showing data from 3:04 PM/)).toBeInTheDocument();
    expect(today().getByText('500')).toBeInTheDocument();
  });

  it('says how old the counts of what needs attention are when they cannot be read again', async () => {
    const { user } = await open();
    await waitFor(() => expect(figure(/^Late/)).toHaveTextContent('12past due'));
    countsFail = true;
    // The counts of the next minute are another query.
    await act(() => vi.advanceTimersByTimeAsync(60_000));
    const note = /Couldn't refresh. Showing data from 3:04 PM/;
    expect(await screen.findByText(note)).toBeInTheDocument();
    expect(figure(/^Late/)).toHaveTextContent('12past due');
    let release = () => {};
    countsHeld = new Promise((resolve) => {
      release = resolve;
    });
    const asks = () => server.calls.filter(({ name }) => name === 'DashboardCounts').length;
    const before = asks();
    await act(() => vi.advanceTimersByTimeAsync(60_000));
    expect(asks()).toBeGreaterThan(before);
    expect(screen.getByText(note)).toBeInTheDocument();
    await act(async () => release());
    expect(await screen.findByText(note)).toBeInTheDocument();
    expect(figure(/^Late/)).toHaveTextContent('12past due');
    countsFail = false;
    await user.click(screen.getByRole('button', { name: 'Retry' }));
    await waitFor(() => expect(screen.queryByText(/Couldn't refresh/)).not.toBeInTheDocument());
  });

  it('says that nothing happened, and where to look', async () => {
    answer = [];
    await open();
    expect(await screen.findByText(/No deliveries were dispatched in the last 7 days/)).toBeInTheDocument();
    expect(server.calls.some(({ name }) => name === 'DashboardCounts')).toBe(true);
    await expectAccessible();
  });
});
