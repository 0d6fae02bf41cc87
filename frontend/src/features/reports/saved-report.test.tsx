import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { declarations } from '@/app/declarations';
import { decodeFilters } from '@/list/filters-codec';
import { reportSetting } from '@/test/announcements';
import { expectAccessible } from '@/test/axe';
import { renderRoutes } from '@/test/render';
import { startReportPage, TIME } from '@/test/report-page';
// Loaded up front, so that no test waits for a lazy import.
import './report-page';
import '@/ui/charts/plot';

let page: ReturnType<typeof startReportPage>;

async function open() {
  const view = renderRoutes(declarations, '/report?setting=r1');
  await screen.findByRole('region', { name: 'Rows' });
  return view;
}

const column = (member: string, label = '', visible = true) => ({ __typename: 'ReportColumn', member, label, visible, width: null });
const savedInput = (name: string) =>
  (page.sent(name)[0]?.input as { reportSetting: Record<string, unknown> } | undefined)?.reportSetting;

function filtersOf(link: HTMLElement) {
  const { searchParams } = new URL(link.getAttribute('href') ?? '', 'http://localhost');
  return decodeFilters(searchParams.get('filters')).filters.map(({ key, operator, values }) =>
    [key, operator, ...values.map(({ value }) => value)].join(' '),
  );
}

describe('a saved report', () => {
  beforeEach(() => {
    page = startReportPage();
    page.answers.saved = reportSetting('r1', {
      name: 'By carrier',
      version: 3,
      columns: [column('Delivery.trucker', 'Carrier'), column('Delivery.pendingCount'), column('Delivery.count'), column('Delivery.onTimeRate', '', false)],
      defaultFilters: [{ __typename: 'ReportFilter', key: 'Delivery.trucker', operator: 'startsWith', values: ['Hab'] }],
      rangeDays: 30,
      granularity: null,
      groupBy: ['Delivery.trucker'],
      sort: [{ __typename: 'ReportSort', member: 'Delivery.count', direction: 'desc' }],
    });
    page.answers.rows = [{ 'Delivery.trucker': 'Habagat Fleet', 'Delivery.pendingCount': '4', 'Delivery.count': '12', 'Delivery.onTimeRate': '50' }];
  });

  it('opens with its columns, filters, range and order, and its figures lead to their lists', async () => {
    await open();
    expect(page.last()).toEqual({
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

  it('has all its rows on paper, and 200 on screen', async () => {
    page.answers.rows = Array.from({ length: 250 }, (_, index) => ({
      'Delivery.trucker': `Carrier ${index}`, 'Delivery.pendingCount': '0', 'Delivery.count': '1', 'Delivery.onTimeRate': '50',
    }));
    await open();
    const region = screen.getByRole('region', { name: 'Rows' });
    const rows = () => region.querySelectorAll('tbody tr').length;
    expect([rows(), region.textContent]).toEqual([200, expect.stringContaining('First 200 of 250 rows')]);
    act(() => void window.dispatchEvent(new Event('beforeprint')));
    expect([rows(), region.textContent]).toEqual([250, expect.stringContaining('250 rows')]);
    act(() => void window.dispatchEvent(new Event('afterprint')));
    expect(rows()).toBe(200);
  });

  it('keeps its last 30 days when it is changed, and moves on with the calendar', async () => {
    const { user, address } = await open();
    const filters = () => decodeFilters(new URLSearchParams(address().split('?')[1]).get('filters')).filters;
    expect(screen.getByRole('button', { name: /^Change filter: .* Last 30 days$/ })).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: /^Remove filter: Trucker/ }));
    await waitFor(() => expect(filters().map(({ key, values }) => [key, ...values.map(({ value }) => value)])).toEqual([['dateRange', 'last30days']]));
    expect(screen.getByRole('button', { name: /^Change filter: .* Last 30 days$/ })).toBeInTheDocument();
    vi.setSystemTime(new Date('2026-11-21T07:04:00Z'));
    act(() => {
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await waitFor(() => expect(page.last()?.timeDimensions).toEqual([{ dimension: TIME, dateRange: ['2026-10-23', '2026-11-21'] }]));
    await user.click(screen.getByRole('button', { name: 'Save' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Save changes to By carrier' }));
    await waitFor(() => expect(savedInput('SaveReport')).toMatchObject({ rangeDays: 30, defaultFilters: [] }));
  });

  it('offers its days among the periods', async () => {
    const { user } = await open();
    await user.click(screen.getByRole('button', { name: /^Change filter: .* Last 30 days$/ }));
    expect(await screen.findByRole('radio', { name: 'Last 30 days' })).toBeChecked();
    expect(screen.getByRole('radio', { name: 'Last 7 days' })).not.toBeChecked();
  });

  it('shows figures that are all 0 of deliveries that match', async () => {
    page.answers.saved = { ...page.answers.saved, columns: [column('Delivery.onTimeRate')], groupBy: [], sort: [] };
    page.answers.rows = [{ 'Delivery.onTimeRate': '0' }];
    await open();
    expect(within(screen.getByRole('table', { name: 'Rows' })).getByRole('cell', { name: '0%' })).toBeInTheDocument();
    expect(screen.queryByText('Nothing to report')).not.toBeInTheDocument();
  });

  it('has no chart that would count a delivery or a shipment twice', async () => {
    const columns = ['Delivery.deliverystatus', 'Delivery.trucker', 'Shipment.count'];
    page.answers.saved = {
      ...page.answers.saved,
      columns: columns.map((member) => column(member)),
      granularity: 'day',
      groupBy: ['Delivery.deliverystatus', 'Delivery.trucker'],
      sort: [],
    };
    // One shipment with a pending delivery of each of two truckers.
    page.answers.rows = ['Amihan', 'Habagat Fleet'].map((trucker) => ({
      [`${TIME}.day`]: '2026-11-16T00:00:00.000',
      'Delivery.deliverystatus': 'Pending',
      'Delivery.trucker': trucker,
      'Shipment.count': '1',
    }));
    await open();
    expect(within(screen.getByRole('table', { name: 'Rows' })).getAllByRole('row')).toHaveLength(3);
    // A chart has a table of its own.
    expect(screen.getAllByRole('table')).toHaveLength(1);
  });

  describe('of outcome reasons', () => {
    const reason = 'Delivery.outcomeReason';
    const row = (code: string, status: string, count: string) => ({
      [reason]: code,
      'Delivery.deliverystatus': status,
      'Delivery.count': count,
    });

    beforeEach(() => {
      page.answers.rows = [row('other', 'Undelivered', '4'), row('other', 'Rejected', '3'), row('gone', 'Rejected', '2')];
    });

    function group(...dimensions: string[]) {
      const columns = [...dimensions, 'Delivery.count'].map((member) => column(member));
      page.answers.saved = { ...page.answers.saved, columns, groupBy: dimensions, sort: [] };
    }

    it('shows their labels, by status where it is grouped by status, and in files', async () => {
      group(reason, 'Delivery.deliverystatus');
      const saved: Blob[] = [];
      vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
        saved.push(blob as Blob);
        return 'blob:report';
      });
      const { user } = await open();
      const rows = () => within(screen.getByRole('table', { name: 'Rows' })).getAllByRole('row').map((line) => line.textContent);
      await waitFor(() =>
        expect(rows()).toEqual([
          'Outcome ReasonDelivery StatusDeliveries',
          'Other, not attemptedUndelivered4',
          'Other, refusedRejected3',
          // A reason that was removed.
          'goneRejected2',
        ]),
      );
      await user.click(screen.getByRole('button', { name: 'Save as CSV' }));
      expect(await saved[0]?.text()).toContain('"Other, refused",Rejected,3');
    });

    it('labels them in the chart, too, with all labels of a code where no status tells them apart', async () => {
      group(reason);
      await open();
      const [chart] = screen.getAllByRole('table').filter((table) => table !== screen.getByRole('table', { name: 'Rows' }));
      await waitFor(() => expect(chart).toHaveTextContent('Other, not attempted / Other, refused'));
    });
  });

  it('shows the values of its filters by their labels', async () => {
    const filter = { __typename: 'ReportFilter', key: 'Delivery.outcomeReason', operator: 'equals', values: ['other', 'gone'] };
    page.answers.saved = { ...page.answers.saved, defaultFilters: [filter] };
    const { user } = await open();
    // A reason that was removed keeps its code.
    const text = 'Outcome reason is Other, not attempted / Other, refused or gone';
    await user.click(await screen.findByRole('button', { name: `Change filter: ${text}` }));
    const values = within(await screen.findByRole('list', { name: 'Values' })).getAllByRole('listitem');
    expect(values.map(({ textContent }) => textContent)).toEqual(['Other, not attempted / Other, refused', 'gone']);
  });

  it('is grouped by the columns that it shows and groups by, and shows a hidden one that is chosen', async () => {
    page.answers.saved = {
      ...page.answers.saved,
      granularity: 'day',
      columns: [
        column('Delivery.trucker', 'Carrier', false),
        column('Delivery.deliverystatus'),
        column('Delivery.id'),
        column(TIME, 'When', false),
        column('Delivery.count'),
      ],
      groupBy: ['Delivery.trucker', 'Delivery.deliverystatus'],
      sort: [],
    };
    page.answers.rows = [{ 'Delivery.deliverystatus': 'Rejected', 'Delivery.trucker': 'Habagat Fleet', 'Delivery.count': '12', [`${TIME}.week`]: '2026-11-16T00:00:00.000' }];
    const { user } = await open();
    expect(page.last()?.dimensions).toEqual(['Delivery.deliverystatus']);
    expect(page.last()?.timeDimensions).toEqual([{ dimension: TIME, dateRange: ['2026-10-22', '2026-11-20'] }]);
    const heads = () => within(screen.getByRole('table', { name: 'Rows' })).getAllByRole('columnheader').map((head) => head.textContent);
    expect(heads()).toEqual(['Delivery Status', 'Deliveries']);
    await user.selectOptions(screen.getByRole('combobox', { name: 'Split by' }), 'Trucker');
    await user.selectOptions(screen.getByRole('combobox', { name: 'Time grouping' }), 'Week');
    await waitFor(() => expect(heads()).toEqual(['Carrier', 'When', 'Deliveries']));
    await user.click(screen.getByRole('button', { name: 'Save' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Save changes to By carrier' }));
    await waitFor(() => expect(page.sent('SaveReport')).toHaveLength(1));
    expect(savedInput('SaveReport')).toMatchObject({
      granularity: 'week',
      groupBy: ['Delivery.trucker'],
      columns: [
        { member: 'Delivery.trucker', label: 'Carrier', visible: true },
        // It was not grouped by, so it was not shown.
        { member: 'Delivery.id', visible: false },
        { member: TIME, label: 'When', visible: true },
        { member: 'Delivery.count', visible: true },
      ],
    });
  });

  it('offers the format of its setting first', async () => {
    page.answers.saved = { ...page.answers.saved, format: 'pdf' };
    await open();
    const names = screen.getAllByRole('button', { name: /^(Print|Save as)/ }).map((button) => button.textContent);
    expect(names).toEqual(['Print', 'Save as CSV', 'Save as Excel']);
  });

  it('shows a time grouping below an hour, which is offered like any other', async () => {
    page.answers.saved = { ...page.answers.saved, granularity: 'minute' };
    page.answers.rows = [
      {
        'Delivery.trucker': 'Habagat Fleet',
        [`${TIME}.minute`]: '2026-11-16T09:41:00.000',
        'Delivery.pendingCount': '4',
        'Delivery.count': '12',
        'Delivery.onTimeRate': '50',
      },
    ];
    await open();
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
    expect(page.last()?.timeDimensions).toMatchObject([{ granularity: 'minute' }]);
    const rows = within(screen.getByRole('table', { name: 'Rows' }));
    expect(rows.getByRole('cell', { name: 'Nov 16, 9:41 AM' })).toBeInTheDocument();
  });

  it('leaves the address of another page alone when it is saved late', async () => {
    let finish: () => void = () => undefined;
    page.answers.creating = new Promise((resolve) => (finish = resolve));
    const { user, router, address } = await open();
    await user.click(screen.getByRole('button', { name: 'Save' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Save as a new report' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Save as a new report' }));
    await user.type(dialog.getByLabelText(/^Name/), 'Mine{Enter}');
    await waitFor(() => expect(dialog.getByRole('button', { name: 'Cancel' })).toBeDisabled());
    await act(() => router.navigate('/account'));
    finish();
    await screen.findByText('Mine saved');
    expect(address()).toBe('/account');
  });

  it('is saved under another name by an administrator, as it is now, and once if the answer is lost', async () => {
    const { user, address } = await open();
    await user.click(screen.getByRole('button', { name: 'Save' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Save as a new report' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Save as a new report' }));
    await user.click(dialog.getByRole('button', { name: 'Save' }));
    expect(dialog.getByLabelText(/^Name/)).toHaveAccessibleDescription('Name is required');
    await waitFor(() => expect(dialog.getByLabelText(/^Name/)).toHaveFocus());
    await user.type(dialog.getByLabelText(/^Name/), 'Mine');
    page.answers.isCreationLost = true;
    await user.click(dialog.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(dialog.getByLabelText(/^Name/)).toHaveAccessibleDescription('An error has occurred'));
    page.answers.isCreationLost = false;
    await user.click(dialog.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(address()).toBe('/report?setting=r1'));
    expect(page.sent('SaveNewReport')[0]).toMatchObject({
      input: {
        reportSetting: {
          name: 'Mine',
          reportKey: 'deliveries',
          format: 'xlsx',
          rangeDays: 30,
          granularity: null,
          groupBy: ['Delivery.trucker'],
          defaultFilters: [{ key: 'Delivery.trucker', operator: 'startsWith', values: ['Hab'] }],
          sort: [{ member: 'Delivery.count', direction: 'desc' }],
        },
      },
    });
    expect(page.sent('SaveNewReport')[1]).toEqual(page.sent('SaveNewReport')[0]);
  });

  it('keeps its changes when asked to, with the version that was read', async () => {
    const columns = page.answers.saved?.columns as object[];
    page.answers.saved = { ...page.answers.saved, columns: columns.toReversed() };
    const { user } = await open();
    await user.selectOptions(screen.getByRole('combobox', { name: 'Time grouping' }), 'Week');
    await user.click(screen.getByRole('button', { name: 'Save' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Save changes to By carrier' }));
    expect(await screen.findByText('By carrier saved')).toBeInTheDocument();
    expect(page.sent('SaveReport')[0]).toMatchObject({
      input: { id: 'r1', version: 3, reportSetting: { name: 'By carrier', granularity: 'week' } },
    });
    // Columns stay in their order. The new time comes first, as on the page.
    expect(savedInput('SaveReport')?.columns).toMatchObject([
      { member: TIME },
      { member: 'Delivery.onTimeRate', visible: false },
      { member: 'Delivery.count' },
      { member: 'Delivery.pendingCount' },
      { member: 'Delivery.trucker', label: 'Carrier' },
    ]);
  });

  it('is not saved before its members are known, because only they tell its measures from its dimensions', async () => {
    page.answers.isMembersDown = true;
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
    expect(page.sent('SaveReport')).toEqual([]);
    expect(screen.getByRole('button', { name: 'Save as CSV' })).toBeDisabled();
    page.answers.isMembersDown = false;
    await user.click(retry);
    await screen.findByRole('region', { name: 'Rows' });
    await user.click(await item('Save changes to By carrier'));
    await waitFor(() => expect(page.sent('SaveReport')).toHaveLength(1));
    expect(page.sent('SaveReport')[0]).toMatchObject({
      input: { reportSetting: { columns: [{ member: 'Delivery.trucker' }, {}, {}, {}], groupBy: ['Delivery.trucker'] } },
    });
  });

  it('that is there no more says so', async () => {
    page.answers.saved = null;
    renderRoutes(declarations, '/report?setting=r9');
    expect(await screen.findByRole('heading', { name: 'Report not found' })).toBeInTheDocument();
  });
});
