import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { declarations } from '@/app/declarations';
import { encodeFilters, type Filter } from '@/list/filters-codec';
import { expectAccessible } from '@/test/axe';
import { deliveryRow, lookedAtAll } from '@/test/deliveries';
import { type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';

interface Page {
  where: { key: string; operator: string; values: string[] }[];
  sort: { key: string; direction: string }[];
  limit: number;
  offset: number;
}

const slow = { timeout: 15_000 };
const TOTAL = 52;
// Roles of a whole page of rows take jsdom seconds to work out.
const ROWS = 3;
vi.setConfig({ testTimeout: 20_000 });
let server: FakeServer;
let failing: boolean;
let tooBroad: boolean;
let total: { total: number; exact: boolean };
let matching: typeof total | undefined;
let driverOfFirst: Record<string, unknown>;

beforeEach(() => {
  lookedAtAll();
  failing = false;
  tooBroad = false;
  total = { total: TOTAL, exact: true };
  matching = undefined;
  driverOfFirst = {};
  server = startFakeServer({
    user: rosa,
    operations: {
      DeliveriesPage: (variables) => {
        if (failing) throw new TypeError('lost');
        if (tooBroad) {
          const extensions = { code: 'FAILED_PRECONDITION', reason: 'LIST_TOO_BROAD' };
          return { errors: [{ message: 'Narrow the Delivery Doc or the dates.', extensions }] };
        }
        const page = variables.page as Page;
        const found = (page.where.length > 0 && matching) || total;
        const rows = Array.from(
          { length: Math.max(0, Math.min(ROWS, found.total - page.offset)) },
          (_, index) =>
            deliveryRow(1000 + page.offset + index, index === 0 ? driverOfFirst : {}),
        );
        const count = { __typename: 'Count', ...found };
        return { data: { deliveries: rows, deliveriesCount: count } };
      },
      CustomersLookup: () => ({
        data: {
          customers: [
            { __typename: 'Customer', customerName: 'Bayan Mart Cubao', customerEmail: null },
          ],
        },
      }),
      ReasonsLookup: () => ({
        data: {
          reasons: ['Recipient absent', 'Other', 'Other'].map((label, order) => ({
            __typename: 'Reason',
            label,
            order,
          })),
        },
      }),
      TruckersLookup: () => ({ errors: [{ message: 'down' }] }),
    },
  });
});

const filterOf = (key: string, operator: Filter['operator'], ...values: string[]): Filter => ({
  key,
  operator,
  values: values.map((value) => ({ label: value, value })),
});
const addressOf = (...filters: Filter[]) =>
  `/deliveries?${new URLSearchParams({ filters: encodeFilters(filters) })}`;

const asked = () => {
  const page = server.calls.findLast(({ name }) => name === 'DeliveriesPage')?.variables.page;
  return page as Page;
};

async function open(address = '/deliveries') {
  const view = renderRoutes(declarations, address);
  await screen.findByRole('heading', { level: 1, name: 'Deliveries' }, slow);
  return view;
}

const firstRow = () => screen.findByRole('link', { name: 'DR-1000' }, slow);
const header = (name: string) => screen.getByRole('columnheader', { name });

describe('the list of deliveries', () => {
  it('shows the columns of the specification first, and is accessible', async () => {
    await open();
    await firstRow();
    const names = screen.getAllByRole('columnheader').map(({ textContent }) => textContent);
    // The box that selects has a name of its own.
    expect(names.slice(1)).toEqual([
      'Delivery Doc',
      'Dispatch Date and Time',
      'Delivery Status',
      'Driver ID',
      'Line Count',
      'Customer Name',
      'Trucker',
    ]);
    const row = screen.getByRole('row', { name: /DR-1000/ });
    expect(row).toHaveTextContent('DR-1000Nov 20, 2026 9:30 AMPendingUnassigned2');
    expect(screen.getByRole('status', { name: '' })).toHaveTextContent('52 deliveries');
    expect(asked()).toEqual({
      where: [],
      sort: [{ key: 'scheduledatetime', direction: 'desc' }],
      limit: 25,
      offset: 0,
    });
    await expectAccessible();
  });

  it('shows the name of the driver before the id', async () => {
    const driver = { __typename: 'Driver', driverId: 'DRV-014', name: 'Rico Santos' };
    driverOfFirst = { driverId: 'DRV-014', driver };
    await open();
    await firstRow();
    expect(screen.getByRole('row', { name: /DR-1000/ })).toHaveTextContent('Rico Santos DRV-014');
  });

  it('says that a driver is not known', async () => {
    driverOfFirst = { driverId: 'DRV-099', driver: null };
    await open();
    await firstRow();
    expect(screen.getByRole('row', { name: /DR-1000/ })).toHaveTextContent('DRV-099Not known');
  });

  it('sorts on the server and says so in the address and the header', async () => {
    const { user, address } = await open();
    await firstRow();
    expect(header('Dispatch Date and Time')).toHaveAttribute('aria-sort', 'descending');
    await user.click(screen.getByRole('button', { name: 'Delivery Doc' }));
    await waitFor(() => expect(asked().sort).toEqual([{ key: 'id', direction: 'asc' }]));
    expect(address()).toBe('/deliveries?sort=id');
    expect(header('Delivery Doc')).toHaveAttribute('aria-sort', 'ascending');
    expect(header('Dispatch Date and Time')).not.toHaveAttribute('aria-sort');
    await user.click(screen.getByRole('button', { name: 'Delivery Doc' }));
    await user.click(screen.getByRole('button', { name: 'Delivery Doc' }));
    expect(address()).toBe('/deliveries');
  });

  it('offers the orders that are quick, and no others', async () => {
    const { address } = await open('/deliveries?sort=trucker');
    await firstRow();
    const sorters = screen
      .getAllByRole('columnheader')
      .filter((cell) => cell.querySelector('button'))
      .map(({ textContent }) => textContent);
    expect(sorters).toEqual([
      'Delivery Doc',
      'Dispatch Date and Time',
      'Delivery Status',
      'Driver ID',
      'Customer Name',
    ]);
    await waitFor(() => expect(address()).toBe('/deliveries'));
  });

  it('pages, by buttons and by keys', async () => {
    const { user, address } = await open();
    await firstRow();
    await user.click(screen.getByRole('button', { name: 'Next page' }));
    expect(address()).toBe('/deliveries?offset=25');
    await screen.findByRole('link', { name: 'DR-1025' }, slow);
    await user.keyboard(']');
    await screen.findByRole('link', { name: 'DR-1050' }, slow);
    await user.keyboard(']');
    expect(address()).toBe('/deliveries?offset=50');
    expect(screen.getByText('51–52 of 52')).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Next page' })).toBeDisabled();
    await user.selectOptions(screen.getByRole('combobox', { name: 'Rows per page' }), '100');
    expect(address()).toBe('/deliveries?limit=100');
  });

  it('goes back to the last page from beyond it', async () => {
    const { address } = await open('/deliveries?offset=5000');
    await screen.findByRole('link', { name: 'DR-1050' }, slow);
    expect(address()).toBe('/deliveries?offset=50');
  });

  it('admits that it stopped counting', async () => {
    total = { total: 10_000, exact: false };
    await open();
    await firstRow();
    expect(screen.getByText('10,000+ deliveries')).toBeInTheDocument();
    expect(screen.getByText('1–3 of 10,000+')).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Last page' })).toBeDisabled();
  });

  it('walks over the rows and opens one by keys', async () => {
    const { user, address } = await open();
    await firstRow();
    await user.keyboard('jjk');
    expect(screen.getByRole('link', { name: 'DR-1000' })).toHaveFocus();
    await user.keyboard('j{Enter}');
    await waitFor(() => expect(address()).toBe('/view-delivery/DR-1001'));
  });

  it('edits the row one is on by a key', async () => {
    const { user, address } = await open();
    await firstRow();
    await user.keyboard('je');
    await waitFor(() => expect(address()).toBe('/edit-delivery/DR-1000'));
  });

  it('opens a row by a click on any cell', async () => {
    const { user, address } = await open();
    await firstRow();
    const row = screen.getByRole('row', { name: /DR-1002/ });
    await user.click(within(row).getByText('Bayan Mart Makati'));
    await waitFor(() => expect(address()).toBe('/view-delivery/DR-1002'));
  });

  it('leaves single keys alone once they are turned off', async () => {
    const { user, address } = await open();
    await firstRow();
    await user.keyboard('?');
    await user.click(screen.getByRole('checkbox', { name: /single-key/ }));
    await user.keyboard('{Escape}');
    await user.keyboard(']');
    expect(address()).toBe('/deliveries');
  });

  it('hides, shows and orders columns, and remembers it', async () => {
    const first = await open();
    await firstRow();
    await first.user.click(screen.getByRole('button', { name: 'Columns' }));
    await first.user.click(screen.getByRole('checkbox', { name: 'Driver ID' }));
    await first.user.click(screen.getByRole('checkbox', { name: 'Shipment no.' }));
    await first.user.click(screen.getByRole('button', { name: 'Move Line Count up' }));
    first.unmount();
    await open();
    await firstRow();
    const names = screen.getAllByRole('columnheader').map(({ textContent }) => textContent);
    expect(names.slice(1, 5)).toEqual([
      'Delivery Doc',
      'Dispatch Date and Time',
      'Line Count',
      'Delivery Status',
    ]);
    expect(names).toContain('Shipment no.');
    expect(names).not.toContain('Driver ID');
  });
});

describe('filters', () => {
  it('are made in the menu, shown as chips and removed there', async () => {
    const { user, address } = await open('/deliveries?offset=25');
    await screen.findByRole('link', { name: 'DR-1025' }, slow);
    await user.keyboard('f');
    const menu = await screen.findByRole('dialog');
    await expectAccessible();
    await user.click(within(menu).getByRole('button', { name: 'Delivery Status' }));
    await user.selectOptions(screen.getByRole('combobox', { name: 'Condition' }), 'is not');
    await user.click(screen.getByRole('checkbox', { name: 'Complete no variance' }));
    await user.click(screen.getByRole('checkbox', { name: 'Rejected' }));
    await expectAccessible();
    await user.click(screen.getByRole('button', { name: 'Apply' }));
    const where = [
      { key: 'deliverystatus', operator: '!equals', values: ['Complete_No_Variance', 'Rejected'] },
    ];
    await waitFor(() => expect(asked().where).toEqual(where));
    expect(asked().offset).toBe(0);
    expect(address()).not.toContain('offset');
    const text = 'Delivery Status is not Complete no variance or Rejected';
    await user.click(screen.getByRole('button', { name: `Remove filter: ${text}` }));
    expect(address()).toBe('/deliveries');
    expect(screen.getByRole('button', { name: 'Filter' })).toHaveFocus();
  });

  it('suggest values while one types', async () => {
    const { user } = await open();
    await firstRow();
    await user.click(screen.getByRole('button', { name: 'Filter' }));
    const menu = await screen.findByRole('dialog');
    await user.click(within(menu).getByRole('button', { name: 'Customer Name' }));
    await user.selectOptions(screen.getByRole('combobox', { name: 'Condition' }), 'is');
    await user.type(screen.getByRole('combobox', { name: 'Value' }), 'bay');
    await user.click(await screen.findByRole('option', { name: 'Bayan Mart Cubao' }, slow));
    await user.click(screen.getByRole('button', { name: 'Apply' }));
    await waitFor(() =>
      expect(asked().where).toEqual([
        { key: 'customername', operator: 'equals', values: ['Bayan Mart Cubao'] },
      ]),
    );
    const lookups = server.calls.filter(({ name }) => name === 'CustomersLookup');
    expect(lookups.at(-1)?.variables.page).toMatchObject({ limit: 10 });
    expect(lookups.length).toBeLessThanOrEqual(2);
  });

  it('still take free text when the lookup fails', async () => {
    const { user } = await open();
    await firstRow();
    await user.click(screen.getByRole('button', { name: 'Filter' }));
    const menu = await screen.findByRole('dialog');
    await user.click(within(menu).getByRole('button', { name: 'Trucker' }));
    await user.type(screen.getByRole('combobox', { name: 'Value' }), 'Tres');
    await screen.findByText('Nothing found', undefined, slow);
    await user.click(screen.getByRole('button', { name: 'Apply' }));
    await waitFor(() =>
      expect(asked().where).toEqual([{ key: 'trucker', operator: 'contains', values: ['Tres'] }]),
    );
  });

  it('ask for whole days of the organisation', async () => {
    await open(addressOf(filterOf('scheduledatetime', 'inDateRange', '2026-11-14', '2026-11-20')));
    await firstRow();
    expect(asked().where).toEqual([
      {
        key: 'scheduledatetime',
        operator: 'inDateRange',
        values: ['2026-11-13T16:00:00.000Z', '2026-11-20T16:00:00.000Z'],
      },
    ]);
    expect(
      screen.getByRole('button', {
        name: 'Change filter: Dispatch Date and Time is in Nov 14 – Nov 20, 2026',
      }),
    ).toBeInTheDocument();
  });

  it('are those of the specification', async () => {
    const { user } = await open();
    await firstRow();
    await user.click(screen.getByText('Filter'));
    const menu = await screen.findByRole('dialog');
    const fields = [...menu.querySelectorAll('li')].map(({ textContent }) => textContent);
    expect(fields).toEqual([
      'Delivery Doc',
      'Customer Name',
      'Trucker',
      'Date Range',
      'Delivery Status',
      'Reason',
      'Outcome reason',
      'Scan Mode',
      'Shipment no.',
      'Shipment Status',
      'Dispatch Date and Time',
      'Processed at Date',
      'Reference Doc',
      'Driver ID',
      'Source',
      'Import',
      'Due',
      'Conflict',
    ]);
  });

  it('suggest the words of the reasons, each once', async () => {
    const { user } = await open();
    await firstRow();
    await user.click(screen.getByText('Filter'));
    const menu = await screen.findByRole('dialog');
    await user.click(within(menu).getByText('Reason'));
    await user.type(screen.getByLabelText('Value'), 'oth');
    const options = await screen.findAllByRole('option', { name: /^Oth/ }, slow);
    expect(options).toHaveLength(1);
    await user.click(options[0] as HTMLElement);
    await user.click(screen.getByText('Apply'));
    await waitFor(() =>
      expect(asked().where).toEqual([{ key: 'reason', operator: 'contains', values: ['Other'] }]),
    );
  });

  it('ask for a range of days under the name the server has for it', async () => {
    await open(addressOf(filterOf('dateRange', 'inDateRange', '2026-11-20', '2026-11-20')));
    await firstRow();
    expect(asked().where).toEqual([
      {
        key: 'scheduledatetime',
        operator: 'inDateRange',
        values: ['2026-11-19T16:00:00.000Z', '2026-11-20T16:00:00.000Z'],
      },
    ]);
    expect(screen.getByLabelText('Change filter: Date Range is in Nov 20, 2026')).toBeInTheDocument();
  });

  it('ask for times of day where they are told', async () => {
    const { user } = await open();
    await firstRow();
    await user.click(screen.getByText('Filter'));
    const menu = await screen.findByRole('dialog');
    await user.click(within(menu).getByText('Dispatch Date and Time'));
    await user.click(screen.getByLabelText('Custom'));
    fireEvent.change(screen.getByLabelText('From'), { target: { value: '2026-11-20T13:00' } });
    fireEvent.change(screen.getByLabelText('To'), { target: { value: '2026-11-20T12:00' } });
    expect(screen.getByText('Apply')).toBeDisabled();
    fireEvent.change(screen.getByLabelText('To'), { target: { value: '2026-11-20T15:30' } });
    await user.click(screen.getByText('Apply'));
    await waitFor(() =>
      expect(asked().where).toEqual([
        {
          key: 'scheduledatetime',
          operator: 'inDateRange',
          values: ['2026-11-20T05:00:00.000Z', '2026-11-20T07:30:00.000Z'],
        },
      ]),
    );
  });

  it('stand behind the view tabs and keep the others', async () => {
    const { user, address } = await open(addressOf(filterOf('trucker', 'equals', 'Habagat Fleet')));
    await firstRow();
    const views = screen.getByRole('navigation', { name: 'Views' });
    expect(within(views).getByRole('link', { current: 'page' })).toHaveTextContent('All');
    await user.click(within(views).getByRole('link', { name: 'Undelivered' }));
    await waitFor(() =>
      expect(asked().where.map(({ key }) => key)).toEqual(['trucker', 'deliverystatus']),
    );
    expect(within(views).getByRole('link', { current: 'page' })).toHaveTextContent('Undelivered');
    expect(address()).toContain('filters=');
  });

  it('come from the quick search as one contains filter', async () => {
    const { user } = await open();
    await firstRow();
    await user.type(screen.getByRole('textbox', { name: 'Delivery Doc' }), '1184{Enter}');
    await waitFor(() =>
      expect(asked().where).toEqual([{ key: 'id', operator: 'contains', values: ['1184'] }]),
    );
  });

  it('that cannot be used are dropped, with a toast', async () => {
    const { address } = await open('/deliveries?filters=%F0%9F%9A%9A&sort=secret&limit=7');
    await firstRow();
    expect(await screen.findByText(/couldn't be used/)).toBeInTheDocument();
    expect(address()).toBe('/deliveries');
  });
});

describe('a list without rows', () => {
  it('says that there is nothing yet and offers the import', async () => {
    total = { total: 0, exact: true };
    await open();
    await screen.findByRole('heading', { name: 'No deliveries yet' }, slow);
    const main = screen.getByRole('main');
    expect(within(main).getByRole('link', { name: 'Import' })).toHaveAttribute(
      'href',
      '/upload-deliveries',
    );
    await expectAccessible();
  });

  it('says that the filters match nothing and clears them', async () => {
    matching = { total: 0, exact: true };
    const { user, address } = await open(addressOf(filterOf('id', 'contains', 'zzz')));
    await screen.findByRole('heading', { name: 'No deliveries match' }, slow);
    expect(screen.getByText('1 filter applied. Clear it to see more.')).toBeInTheDocument();
    await expectAccessible();
    await user.click(screen.getByRole('button', { name: 'Clear filters' }));
    expect(address()).toBe('/deliveries');
  });

  it('says what to narrow when there is too much to look through', async () => {
    tooBroad = true;
    const { user, address } = await open(addressOf(filterOf('id', 'contains', 'a')));
    await screen.findByText('Search is too broad', undefined, slow);
    expect(screen.getByText('Narrow the Delivery Doc or the dates.')).toBeInTheDocument();
    await expectAccessible();
    tooBroad = false;
    await user.click(screen.getByText('Clear filters'));
    await firstRow();
    expect(address()).toBe('/deliveries');
  });

  it('says what failed and tries again', async () => {
    failing = true;
    const { user } = await open();
    await screen.findByRole('heading', { name: 'Something went wrong' }, slow);
    expect(screen.getByText('An error has occurred')).toBeInTheDocument();
    await expectAccessible();
    failing = false;
    await user.click(screen.getByRole('button', { name: 'Retry' }));
    await firstRow();
  });

  it('keeps its rows when reading them again fails', async () => {
    const { user } = await open();
    await firstRow();
    await user.click(screen.getByRole('button', { name: 'Next page' }));
    await screen.findByRole('link', { name: 'DR-1025' }, slow);
    failing = true;
    await user.click(screen.getByRole('button', { name: 'Previous page' }));
    await screen.findByText(/Couldn't refresh\. Showing data from/, undefined, slow);
    expect(screen.getByRole('link', { name: 'DR-1000' })).toBeInTheDocument();
  });
});
