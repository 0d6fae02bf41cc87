import { createEvent, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { declarations } from '@/app/declarations';
import { listOf } from '@/test/accounts';
import { filterMembers, reportColumn, reportMembers, reportSetting } from '@/test/announcements';
import { expectAccessible } from '@/test/axe';
import { type Answer, type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { badInput, currentVersion } from '@/test/parties';
import { renderRoutes } from '@/test/render';
// Loaded up front, so that no test waits for a lazy import.
import './report-setting-page';
import './report-settings-page';

const damaged = { __typename: 'Reason', code: 'damaged', appliesTo: 'rejected', label: 'Damaged in transit', order: 1 };

let server: FakeServer;
let rows: object[];
let found: Record<string, unknown> | null;
let updated: Answer;
let members: Answer;
let isLost: boolean;

beforeEach(() => {
  rows = [
    reportSetting('r1'),
    reportSetting('r2', { name: 'Drivers', reportKey: 'drivers', rangeDays: 1, format: 'csv', isActive: false }),
  ];
  found = reportSetting('r1');
  updated = { data: { updateReportSetting: { __typename: 'ReportSetting', id: 'r1', version: 4 } } };
  members = { data: { reportMembers } };
  isLost = false;
  server = startFakeServer({
    user: rosa,
    operations: {
      ReportSettingsPage: () => listOf('reportSettings', rows),
      ViewReportSetting: () => ({ data: { reportSetting: found } }),
      ReportMembers: () => members,
      ReasonsLookup: () => ({ data: { reasons: [damaged] } }),
      ReportFilterMembers: () => ({ data: filterMembers }),
      ReportSchedule: () => ({ data: { reportSchedule: null, sendsMail: true } }),
      ReportSettingVersion: () => currentVersion('ReportSetting', 5),
      CreateReportSetting: () => {
        if (isLost) throw new TypeError('lost');
        return { data: { createReportSetting: { __typename: 'ReportSetting', id: 'r3', name: 'By carrier' } } };
      },
      UpdateReportSetting: () => updated,
      DeleteReportSetting: () => ({ data: { deleteReportSetting: 'r1' } }),
    },
  });
});

const sent = (operation: string) => server.calls.filter((call) => call.name === operation);
const columns = () =>
  within(screen.getByRole('list', { name: 'Columns' }))
    .getAllByRole('checkbox')
    .map((box) => (box as HTMLInputElement).labels?.[0]?.textContent);
const save = () => screen.getByRole('button', { name: 'Save' });
const adder = () => screen.getByRole('combobox', { name: 'Add column' });

async function open() {
  const view = renderRoutes(declarations, '/admin/settings/report/r1');
  await screen.findByRole('heading', { level: 2, name: 'Deliveries by day' });
  await screen.findByRole('checkbox', { name: 'Delivery Status', checked: true });
  return view;
}

describe('the list of report settings', () => {
  async function openList() {
    const view = renderRoutes(declarations, '/admin/settings/reports');
    await screen.findByRole('link', { name: 'Deliveries by day' });
    return view;
  }
  const row = (name: string) => screen.getByRole('link', { name }).closest('tr');

  it('shows name, report, columns, range, format, state and when it was updated', async () => {
    await openList();
    expect(row('Deliveries by day')).toHaveTextContent(
      /Deliveries by day.*Deliveries.*3.*Last 7 days.*XLSX.*Active.*Nov 20, 2026 1:10 PM/,
    );
    const menu = within(screen.getByRole('navigation', { name: 'Settings' }));
    expect(menu.getByRole('link', { name: 'Report' })).toHaveAttribute('aria-current', 'page');
    expect(menu.getByRole('link', { name: 'Users' })).not.toHaveAttribute('aria-current');
    const drawer = within(screen.getByRole('navigation', { name: 'Primary' }));
    expect(drawer.getByRole('link', { name: 'Settings' })).toHaveAttribute('aria-current', 'true');
    expect(screen.getByRole('link', { name: 'New report setting' })).toHaveAttribute(
      'href',
      '/admin/settings/report/new',
    );
    await expectAccessible();
  });

  it('deletes after a question', async () => {
    const { user } = await openList();
    await user.click(screen.getByRole('button', { name: 'Actions for Deliveries by day' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Delete' }));
    const question = await screen.findByRole('alertdialog', { name: 'Delete Deliveries by day?' });
    rows = rows.slice(1);
    await user.click(within(question).getByRole('button', { name: 'Delete' }));
    expect(await screen.findByText('Deliveries by day deleted')).toBeInTheDocument();
    await waitFor(() =>
      expect(screen.queryByRole('link', { name: 'Deliveries by day' })).not.toBeInTheDocument(),
    );
    expect(sent('DeleteReportSetting')[0]?.variables).toEqual({ input: { id: 'r1', version: 3 } });
  });
});

describe('a new report setting', () => {
  async function openNew() {
    const view = renderRoutes(declarations, '/admin/settings/report/new');
    await screen.findByRole('option', { name: 'Trucker' });
    return view;
  }

  it('is of the last 7 days unless said otherwise, and needs a name and a column', async () => {
    const { user, address } = await openNew();
    expect(screen.getByLabelText('Range in days')).toHaveValue('7');
    const create = screen.getByRole('button', { name: 'Create report setting' });
    await user.click(create);
    expect(screen.getByLabelText('Name')).toHaveAccessibleDescription('Name is required');
    expect(adder()).toHaveAccessibleDescription(/^Choose at least one column/);
    await user.type(screen.getByLabelText('Name'), ' By carrier ');
    await user.selectOptions(adder(), 'Trucker');
    await user.selectOptions(adder(), 'Deliveries');
    expect(screen.getByText('Deliveries added at position 2')).toBeInTheDocument();
    await expectAccessible();
    await user.dblClick(create);
    await waitFor(() => expect(address()).toBe('/admin/settings/reports'));
    expect(await screen.findByText('By carrier created')).toBeInTheDocument();
    expect(sent('CreateReportSetting')).toHaveLength(1);
    expect(sent('CreateReportSetting')[0]?.variables.input).toEqual({
      creationId: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
      reportSetting: {
        name: 'By carrier',
        reportKey: 'deliveries',
        columns: [
          { member: 'Delivery.trucker', label: '', visible: true, width: null },
          { member: 'Delivery.count', label: '', visible: true, width: null },
        ],
        defaultFilters: [],
        rangeDays: 7,
        granularity: 'day',
        groupBy: [],
        sort: [],
        format: 'xlsx',
        isActive: true,
      },
    });
  });

  it('is the same one when it is created again after a lost answer', async () => {
    const { user, address } = await openNew();
    await user.type(screen.getByLabelText('Name'), 'By carrier');
    await user.selectOptions(adder(), 'Trucker');
    isLost = true;
    await user.click(screen.getByRole('button', { name: 'Create report setting' }));
    await screen.findByText('An error has occurred');
    isLost = false;
    await user.click(screen.getByRole('button', { name: 'Create report setting' }));
    await waitFor(() => expect(address()).toBe('/admin/settings/reports'));
    const [first, second] = sent('CreateReportSetting').map(({ variables }) => variables.input);
    expect(second).toEqual(first);
  });
});

describe('the columns of a report setting', () => {
  it('are added, labeled, hidden and removed', async () => {
    const { user } = await open();
    expect(save()).toBeDisabled();
    await user.click(screen.getByRole('checkbox', { name: 'Delivery Status', checked: true }));
    await user.type(screen.getByRole('textbox', { name: 'Label for Deliveries' }), 'How many');
    await user.click(screen.getByRole('button', { name: 'Remove Trucker' }));
    expect(adder()).toHaveFocus();
    await user.selectOptions(adder(), 'Delivery Doc');
    await expectAccessible();
    await user.click(save());
    await waitFor(() => expect(sent('UpdateReportSetting')).toHaveLength(1));
    expect(sent('UpdateReportSetting')[0]?.variables.input).toMatchObject({
      id: 'r1',
      version: 3,
      reportSetting: {
        columns: [
          { member: 'Delivery.deliverystatus', label: '', visible: false, width: null },
          { member: 'Delivery.count', label: 'How many', visible: true, width: null },
          { member: 'Delivery.id', label: '', visible: true, width: null },
        ],
        // Removing a column removes it from grouping and sorting.
        groupBy: [],
        sort: [],
      },
    });
  });

  it('are moved by the keyboard, which keeps its place', async () => {
    const { user } = await open();
    expect(columns()).toEqual(['Delivery Status', 'Trucker', 'Deliveries']);
    const up = screen.getByRole('button', { name: 'Move Deliveries up' });
    up.focus();
    await user.keyboard('{Enter}{Enter}');
    expect(columns()).toEqual(['Deliveries', 'Delivery Status', 'Trucker']);
    expect(screen.getByRole('button', { name: 'Move Deliveries up' })).toHaveFocus();
    expect(screen.getByText('Deliveries moved to position 1')).toBeInTheDocument();
    await user.keyboard('{Enter}');
    expect(columns()).toEqual(['Deliveries', 'Delivery Status', 'Trucker']);
    await user.click(screen.getByRole('button', { name: 'Move Deliveries down' }));
    expect(columns()).toEqual(['Delivery Status', 'Deliveries', 'Trucker']);
  });

  it('are moved by dragging', async () => {
    await open();
    const items = within(screen.getByRole('list', { name: 'Columns' })).getAllByRole('listitem');
    const handle = items[0]?.querySelector('[draggable]') as Element;
    const start = createEvent.dragStart(handle);
    Object.defineProperty(start, 'dataTransfer', { value: { setData: () => undefined } });
    fireEvent(handle, start);
    fireEvent.dragOver(items[2] as Element);
    fireEvent.dragEnd(handle);
    expect(columns()).toEqual(['Trucker', 'Deliveries', 'Delivery Status']);
  });

  it('go when the report becomes another', async () => {
    const { user } = await open();
    await user.selectOptions(screen.getByRole('combobox', { name: 'Report' }), 'Drivers');
    expect(screen.queryByRole('list', { name: 'Columns' })).not.toBeInTheDocument();
    await waitFor(() =>
      expect(sent('ReportMembers').at(-1)?.variables).toEqual({ reportKey: 'drivers' }),
    );
  });

  it('can be read again when that failed', async () => {
    members = { errors: [{ message: 'Not now' }] };
    const { user } = renderRoutes(declarations, '/admin/settings/report/r1');
    await screen.findByText("Couldn't load the columns of this report.");
    // Members show by name until their titles are loaded.
    expect(columns()).toEqual(['Delivery.deliverystatus', 'Delivery.trucker', 'Delivery.count']);
    members = { data: { reportMembers } };
    await user.click(screen.getByRole('button', { name: 'Retry' }));
    await screen.findByRole('checkbox', { name: 'Delivery Status', checked: true });
  });
});

describe('what else a report setting says', () => {
  it('is saved with filters, range, grouping, order and format', async () => {
    const { user, address } = await open();
    await user.click(screen.getByRole('button', { name: 'Add filter' }));
    await user.click(save());
    expect(
      (await screen.findAllByText('Give each filter a value, or remove it')).length,
    ).toBeGreaterThan(0);
    const filter = within(screen.getByRole('group', { name: 'Filter 1' }));
    await user.selectOptions(filter.getByRole('combobox', { name: 'Field' }), 'Trucker');
    await user.selectOptions(filter.getByRole('combobox', { name: 'Condition' }), 'starts with');
    // The typed value is applied without pressing Enter.
    await user.type(filter.getByRole('textbox', { name: 'Value' }), 'Habagat');
    await user.clear(screen.getByLabelText('Range in days'));
    await user.type(screen.getByLabelText('Range in days'), '30');
    await user.selectOptions(screen.getByRole('combobox', { name: /^Granularity/ }), 'No time grouping');
    await user.click(screen.getByRole('checkbox', { name: 'Carrier' }));
    await user.click(
      within(screen.getByRole('group', { name: /^Group by/ })).getByRole('checkbox', {
        name: 'Delivery Status',
      }),
    );
    await user.selectOptions(
      screen.getByRole('combobox', { name: 'Sort 1: direction' }),
      'Ascending',
    );
    await user.click(screen.getByRole('button', { name: 'Add sort' }));
    await user.selectOptions(screen.getByRole('combobox', { name: 'Sort 2: column' }), 'Deliveries');
    await user.selectOptions(screen.getByRole('combobox', { name: 'Format' }), 'PDF');
    await user.click(screen.getByRole('switch', { name: 'Active' }));
    await expectAccessible();
    await user.click(save());
    await waitFor(() => expect(address()).toBe('/admin/settings/reports'));
    expect(await screen.findByText('Deliveries by day saved')).toBeInTheDocument();
    expect(sent('UpdateReportSetting').map(({ variables }) => variables.input)).toEqual([
      {
        id: 'r1',
        version: 3,
        reportSetting: {
          name: 'Deliveries by day',
          reportKey: 'deliveries',
          columns: found && (found.columns as Record<string, unknown>[]).map(withoutTypename),
          defaultFilters: [{ key: 'Delivery.trucker', operator: 'startsWith', values: ['Habagat'] }],
          rangeDays: 30,
          granularity: null,
          groupBy: ['Delivery.deliverystatus'],
          sort: [
            { member: 'Delivery.trucker', direction: 'asc' },
            { member: 'Delivery.count', direction: 'asc' },
          ],
          format: 'pdf',
          isActive: false,
        },
      },
    ]);
  });

  it('offers the values that have labels, and sends the value of the chosen label', async () => {
    const stored = { __typename: 'ReportFilter', key: 'Delivery.deliverystatus', operator: 'equals' };
    found = reportSetting('r1', { defaultFilters: [{ ...stored, values: ['Pending', 'Complete no variance'] }] });
    const { user } = await open();
    const filter = within(screen.getByRole('group', { name: 'Filter 1' }));
    const operators = within(filter.getByRole('combobox', { name: 'Condition' })).getAllByRole('option');
    expect(operators.map((option) => option.textContent)).toEqual(['is', 'is not']);
    // An earlier release saved the label, which matched nothing.
    await user.click(filter.getByRole('button', { name: 'Remove Complete no variance' }));
    await user.type(filter.getByRole('combobox', { name: 'Value' }), 'no var');
    await user.click(await filter.findByRole('option', { name: 'Complete no variance' }));
    expect(within(filter.getByRole('list', { name: 'Values' })).getAllByRole('listitem')).toHaveLength(2);
    // Text that is no value is not added, and nothing is saved without it.
    await user.type(filter.getByRole('combobox', { name: 'Value' }), 'Delivered{Enter}');
    expect(sent('UpdateReportSetting')).toEqual([]);
    await user.click(screen.getByLabelText('Name'));
    await filter.findByText('Choose one of the suggestions, or clear this field.');
    await user.click(save());
    expect(filter.getByRole('combobox', { name: 'Value' })).toHaveFocus();
    expect(sent('UpdateReportSetting')).toEqual([]);
    await user.clear(filter.getByRole('combobox', { name: 'Value' }));
    await user.click(save());
    await waitFor(() => expect(sent('UpdateReportSetting')).toHaveLength(1));
    expect(sent('UpdateReportSetting')[0]?.variables.input).toMatchObject({
      reportSetting: {
        defaultFilters: [
          { key: 'Delivery.deliverystatus', operator: 'equals', values: ['Pending', 'Complete_No_Variance'] },
        ],
      },
    });
  });

  it('shows an outcome reason by its label', async () => {
    const stored = { __typename: 'ReportFilter', key: 'Delivery.outcomeReason', operator: 'equals' };
    found = reportSetting('r1', { defaultFilters: [{ ...stored, values: ['damaged'] }] });
    await open();
    const filter = within(screen.getByRole('group', { name: 'Filter 1' }));
    await within(filter.getByRole('list', { name: 'Values' })).findByText('Damaged in transit');
  });

  it('offers no values of the field before', async () => {
    const stored = { __typename: 'ReportFilter', key: 'Delivery.deliverystatus', operator: 'equals' };
    found = reportSetting('r1', { defaultFilters: [{ ...stored, values: ['Pending'] }] });
    const { user } = await open();
    const filter = within(screen.getByRole('group', { name: 'Filter 1' }));
    const offered = () => within(filter.getByRole('listbox')).queryAllByRole('option').map((option) => option.textContent);
    await waitFor(() => expect(offered()).toContain('Undelivered'));
    await user.selectOptions(filter.getByRole('combobox', { name: 'Field' }), 'Shipment Status');
    expect(offered()).not.toContain('Undelivered');
    await waitFor(() => expect(offered()).not.toEqual([]));
    expect(offered()).not.toContain('Undelivered');
  });

  it('shows every filter under its own field, and keeps the filters when the report becomes another', async () => {
    const filter = (key: string) => ({ __typename: 'ReportFilter', key, operator: 'equals', values: ['a'] });
    found = reportSetting('r1', { defaultFilters: [filter('Variance.reason'), filter('Delivery.former')] });
    const { user } = await open();
    const field = (place: number) =>
      within(screen.getByRole('group', { name: `Filter ${place}` })).getByRole('combobox', { name: 'Field' });
    await waitFor(() => expect(field(1)).toHaveDisplayValue('Reason'));
    expect(within(field(1)).getAllByRole('option').map((option) => option.textContent)).toEqual([
      'Shipment Status',
      'Trucker',
      'Reason',
      'Delivery Status',
    ]);
    expect(field(2)).toHaveDisplayValue('Delivery.former');
    await user.selectOptions(screen.getByRole('combobox', { name: 'Report' }), 'Drivers');
    expect(field(1)).toHaveDisplayValue('Reason');
  });

  it('has a time among its columns only if rows are grouped by it', async () => {
    const { user } = await open();
    await user.selectOptions(adder(), 'Dispatch Date and Time');
    const granularity = screen.getByRole('combobox', { name: /^Granularity/ });
    await user.selectOptions(granularity, 'No time grouping');
    await user.click(save());
    await waitFor(() => expect(adder()).toHaveAccessibleDescription(/^Choose a granularity, or remove/));
    expect(sent('UpdateReportSetting')).toEqual([]);
    await user.click(screen.getByRole('button', { name: 'Remove Dispatch Date and Time' }));
    expect(within(adder()).queryByRole('option', { name: 'Dispatch Date and Time' })).not.toBeInTheDocument();
    await user.selectOptions(granularity, 'Day');
    expect(within(adder()).getByRole('option', { name: 'Dispatch Date and Time' })).toBeInTheDocument();
  });

  it('is grouped by visible columns only', async () => {
    const { user } = await open();
    const groups = () => within(screen.getByRole('group', { name: /^Group by/ })).getAllByRole('checkbox');
    expect(groups().map((box) => (box as HTMLInputElement).checked)).toEqual([false, true]);
    await user.click(within(screen.getByRole('list', { name: 'Columns' })).getByRole('checkbox', { name: 'Trucker' }));
    expect(groups()).toHaveLength(1);
    await user.click(save());
    await waitFor(() => expect(sent('UpdateReportSetting')).toHaveLength(1));
    expect(sent('UpdateReportSetting')[0]?.variables.input).toMatchObject({ reportSetting: { groupBy: [] } });
  });

  it.each([
    ['0', 'Range in days is too low'],
    ['367', 'Range in days is too high'],
    ['1.5', 'Range in days is not formatted correctly'],
    ['', 'Range in days is required'],
  ])('takes no range of %j', async (text, said) => {
    const { user } = await open();
    const range = screen.getByLabelText('Range in days');
    await user.clear(range);
    if (text) await user.type(range, text);
    await user.click(save());
    await waitFor(() => expect(range).toHaveAccessibleDescription(`${said} Days up to and including today, 1 to 366.`));
    expect(sent('UpdateReportSetting')).toEqual([]);
  });

  it('is told of who was faster, and of what the server refuses', async () => {
    updated = badInput({ name: ['There is one of this name already'] });
    const { user } = await open();
    await user.type(screen.getByLabelText('Name'), '!');
    await user.click(save());
    const description = 'There is one of this name already';
    await waitFor(() => expect(screen.getByLabelText('Name')).toHaveAccessibleDescription(description));
    const extensions = { code: 'FAILED_PRECONDITION', reason: 'REPORT_SETTING_CHANGED' };
    updated = { errors: [{ message: 'It was changed meanwhile.', extensions }] };
    await user.type(screen.getByLabelText('Name'), '!');
    await user.click(save());
    expect(await screen.findByText(/dennis changed this on Nov 20, 2026 3:01 PM/)).toBeInTheDocument();
    found = reportSetting('r1', { name: 'By month', version: 5, columns: [reportColumn('Delivery.id')] });
    await user.click(screen.getByRole('button', { name: 'Reload' }));
    await waitFor(() => expect(screen.getByLabelText('Name')).toHaveValue('By month'));
    expect(columns()).toEqual(['Delivery Doc']);
  });

  it('is deleted without a question about its unsaved changes', async () => {
    const { user, address } = await open();
    await user.type(screen.getByLabelText('Name'), '!');
    await user.click(screen.getByRole('button', { name: 'Delete' }));
    const question = await screen.findByRole('alertdialog', { name: 'Delete Deliveries by day?' });
    [rows, found] = [rows.slice(1), null];
    await user.click(within(question).getByRole('button', { name: 'Delete' }));
    await screen.findByRole('link', { name: 'Drivers' });
    expect(address()).toBe('/admin/settings/reports');
    expect(screen.getByText('Deliveries by day deleted')).toBeInTheDocument();
    expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument();
  });

  it('says that there is none at an address', async () => {
    found = null;
    renderRoutes(declarations, '/admin/settings/report/r9');
    expect(await screen.findByText('Report setting not found')).toBeInTheDocument();
  });
});

function withoutTypename({ __typename, ...rest }: Record<string, unknown>) {
  return rest;
}
