import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { expectAccessible } from '@/test/axe';
import {
  addressOf, asked, filterOf, firstRow, header, openList, setStage, slow, stage,
} from '@/test/deliveries-list';

vi.setConfig({ testTimeout: 20_000 });
beforeEach(setStage);

describe('the list of deliveries', () => {
  it('shows the columns of the specification first, and is accessible', async () => {
    await openList();
    await firstRow();
    const names = screen.getAllByRole('columnheader').map(({ textContent }) => textContent);
    // The first column holds the checkboxes.
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
    // Dates and numbers are aligned at the end, as are their headings.
    const atEnd = (role: string) =>
      screen.getAllByRole(role).flatMap((it) => (it.matches('.text-end') ? it.textContent : []));
    expect(atEnd('columnheader')).toEqual(['Dispatch Date and Time', 'Line Count']);
    expect(atEnd('cell').slice(0, 2)).toEqual(['Nov 20, 2026 9:30 AM', '2']);
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
    stage.driverOfFirst = { driverId: 'DRV-014', driver };
    await openList();
    await firstRow();
    expect(screen.getByRole('row', { name: /DR-1000/ })).toHaveTextContent('Rico Santos DRV-014');
  });

  it('says that a driver is not known', async () => {
    stage.driverOfFirst = { driverId: 'DRV-099', driver: null };
    await openList();
    await firstRow();
    expect(screen.getByRole('row', { name: /DR-1000/ })).toHaveTextContent('DRV-099Unknown');
  });

  it('marks the deliveries in conflict', async () => {
    stage.driverOfFirst = { conflict: true };
    await openList();
    await firstRow();
    expect(screen.getAllByLabelText('Late update from a driver')).toHaveLength(1);
  });

  it('sorts on the server and says so in the address and the header', async () => {
    const { user, address } = await openList();
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
    const { address } = await openList('/deliveries?sort=trucker');
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
    const { user, address } = await openList();
    await firstRow();
    const announced = () => screen.getByText(/^\d+–\d+ of/).parentElement?.querySelector('[aria-live]')?.textContent;
    expect(announced()).toBe('');
    await user.click(screen.getByRole('button', { name: 'Next page' }));
    expect(address()).toBe('/deliveries?offset=25');
    await screen.findByRole('link', { name: 'DR-1025' }, slow);
    expect(announced()).toBe('Page 2 of 3: rows 26 to 28');
    await user.keyboard(']');
    await screen.findByRole('link', { name: 'DR-1050' }, slow);
    expect(announced()).toBe('Page 3 of 3: rows 51 to 52');
    await user.keyboard(']');
    expect(address()).toBe('/deliveries?offset=50');
    expect(screen.getByText('51–52 of 52')).toBeInTheDocument();
    // It keeps the focus, so that it isn't `disabled`.
    expect(screen.getByRole('button', { name: 'Next page' })).toHaveAttribute('aria-disabled', 'true');
    expect(screen.getByRole('button', { name: 'Next page' })).toHaveFocus();
    await user.selectOptions(screen.getByRole('combobox', { name: 'Rows per page' }), '100');
    expect(address()).toBe('/deliveries?limit=100');
  });

  it('goes back to the last page from beyond it', async () => {
    const { address } = await openList('/deliveries?offset=5000');
    await screen.findByRole('link', { name: 'DR-1050' }, slow);
    expect(address()).toBe('/deliveries?offset=50');
  });

  it('admits that it stopped counting', async () => {
    stage.total = { total: 10_000, exact: false };
    await openList();
    await firstRow();
    expect(screen.getByText('10,000+ deliveries')).toBeInTheDocument();
    expect(screen.getByText('1–3 of 10,000+')).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Last page' })).toBeDisabled();
  });

  it('ends at the last page that the server reads, and says so', async () => {
    stage.total = { total: 2_500_000, exact: true };
    const { user, address } = await openList();
    await firstRow();
    await user.click(screen.getByRole('button', { name: 'Last page' }));
    expect(address()).toBe('/deliveries?offset=1000000');
    await screen.findByText(/^1,000,001–1,000,003 of 2,500,000 · Pages after this one can't be opened/, undefined, slow);
    await user.keyboard(']');
    expect(address()).toBe('/deliveries?offset=1000000');
    expect(screen.getByRole('button', { name: 'Next page' })).toBeDisabled();
    await expectAccessible();
  });

  it('walks over the rows and opens one by keys', async () => {
    const { user, address } = await openList();
    await firstRow();
    await user.keyboard('jjk');
    expect(screen.getByRole('link', { name: 'DR-1000' })).toHaveFocus();
    await user.keyboard('j{Enter}');
    await waitFor(() => expect(address()).toBe('/view-delivery/DR-1001'));
  });

  it('edits the row one is on by a key', async () => {
    const { user, address } = await openList();
    await firstRow();
    await user.keyboard('je');
    await waitFor(() => expect(address()).toBe('/edit-delivery/DR-1000'));
  });

  it('opens a row by a click on any cell', async () => {
    const { user, address } = await openList();
    await firstRow();
    const row = screen.getByRole('row', { name: /DR-1002/ });
    await user.click(within(row).getByText('Bayan Mart Makati'));
    await waitFor(() => expect(address()).toBe('/view-delivery/DR-1002'));
  });

  it('leaves single keys alone once they are turned off', async () => {
    const { user, address } = await openList();
    await firstRow();
    await user.keyboard('?');
    await user.click(screen.getByRole('checkbox', { name: /single-key/ }));
    await user.keyboard('{Escape}');
    await user.keyboard(']');
    expect(address()).toBe('/deliveries');
  });

  it('hides, shows and orders columns, and remembers it', async () => {
    const first = await openList();
    await firstRow();
    await first.user.click(screen.getByRole('button', { name: 'Columns' }));
    await first.user.click(screen.getByRole('checkbox', { name: 'Driver ID' }));
    await first.user.click(screen.getByRole('checkbox', { name: 'Shipment no.' }));
    await first.user.click(screen.getByRole('button', { name: 'Move Line Count up' }));
    first.unmount();
    await openList();
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

describe('a list without rows', () => {
  it('says that there is nothing yet and offers the import', async () => {
    stage.total = { total: 0, exact: true };
    await openList();
    await screen.findByRole('heading', { name: 'No deliveries yet' }, slow);
    const main = screen.getByRole('main');
    expect(within(main).getByRole('link', { name: 'Import' })).toHaveAttribute(
      'href',
      '/upload-deliveries',
    );
    await expectAccessible();
  });

  it('says that the filters match nothing and clears them', async () => {
    stage.matching = { total: 0, exact: true };
    const { user, address } = await openList(addressOf(filterOf('id', 'contains', 'zzz')));
    await screen.findByRole('heading', { name: 'No deliveries match' }, slow);
    expect(screen.getByText('1 filter applied. Clear it to see more.')).toBeInTheDocument();
    await expectAccessible();
    await user.click(screen.getByRole('button', { name: 'Clear filters' }));
    expect(address()).toBe('/deliveries');
  });

  it('says what to narrow when there is too much to look through', async () => {
    stage.tooBroad = true;
    const { user, address } = await openList(addressOf(filterOf('id', 'contains', 'a')));
    await screen.findByText('Search is too broad', undefined, slow);
    expect(screen.getByText('Narrow the Delivery Doc or the dates.')).toBeInTheDocument();
    await expectAccessible();
    stage.tooBroad = false;
    await user.click(screen.getByText('Clear filters'));
    await firstRow();
    expect(address()).toBe('/deliveries');
  });

  it('says what failed and tries again', async () => {
    stage.failing = true;
    const { user } = await openList();
    await screen.findByRole('heading', { name: 'Something went wrong' }, slow);
    expect(screen.getByText('An error has occurred')).toBeInTheDocument();
    await expectAccessible();
    stage.failing = false;
    await user.click(screen.getByRole('button', { name: 'Retry' }));
    await firstRow();
  });

  it('keeps its rows when reading them again fails', async () => {
    const { user } = await openList();
    await firstRow();
    await user.click(screen.getByRole('button', { name: 'Next page' }));
    await screen.findByRole('link', { name: 'DR-1025' }, slow);
    stage.failing = true;
    await user.click(screen.getByRole('button', { name: 'Previous page' }));
    await screen.findByText(/Couldn't refresh\. Showing data from/, undefined, slow);
    expect(screen.getByRole('link', { name: 'DR-1000' })).toBeInTheDocument();
  });
});
