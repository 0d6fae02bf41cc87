import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { expectAccessible } from '@/test/axe';
import {
  addressOf, asked, filterOf, firstRow, openList, setStage, slow, stage,
} from '@/test/deliveries-list';

vi.setConfig({ testTimeout: 20_000 });
beforeEach(setStage);

describe('filters', () => {
  it('are made in the menu, shown as chips and removed there', async () => {
    const { user, address } = await openList('/deliveries?offset=25');
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

  it('keep the focus when a button of their menu goes with what it did', async () => {
    const { user } = await openList();
    await firstRow();
    await user.keyboard('f');
    const menu = within(await screen.findByRole('dialog', { name: 'Filter' }));
    await user.click(menu.getByText('Delivery Doc'));
    await user.type(await menu.findByLabelText('Value'), 'DR-1{Enter}');
    await user.click(menu.getByLabelText('Remove DR-1'));
    expect(menu.getByLabelText('Value')).toHaveFocus();
    await user.click(menu.getByLabelText('Back to the fields'));
    expect(menu.getByLabelText('Find a field')).toHaveFocus();
  });

  it('suggest values while one types', async () => {
    const { user } = await openList();
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
    const lookups = stage.server.calls.filter(({ name }) => name === 'CustomersLookup');
    expect(lookups.at(-1)?.variables.page).toMatchObject({ limit: 10 });
    expect(lookups.length).toBeLessThanOrEqual(2);
  });

  it('still take free text when the lookup fails', async () => {
    const { user } = await openList();
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

  it('take more values than the server takes in one filter', async () => {
    const ids = Array.from({ length: 50 }, (_, at) => `D${at}`);
    const { user } = await openList(addressOf(filterOf('id', 'equals', ...ids)));
    await firstRow();
    const chip = () => screen.getByRole('button', { name: /^Change filter: Delivery Doc is D0 or D1 / });
    await user.click(chip());
    await user.type(screen.getByRole('combobox', { name: 'Value' }), 'D50');
    await user.click(screen.getByRole('button', { name: 'Apply' }));
    await waitFor(() =>
      expect(asked().where).toEqual([
        { key: 'id', operator: 'equals', values: ids },
        { key: 'id', operator: 'equals', values: ['D50'] },
      ]),
    );
    await user.click(chip());
    expect(screen.getAllByRole('button', { name: /^Remove D\d+$/ })).toHaveLength(51);
  });

  it('say when a link cannot hold all values, and keep those of before', async () => {
    const long = (at: number) => `${at}`.padEnd(200, 'x');
    const filter = filterOf('id', 'equals', ...Array.from({ length: 28 }, (_, at) => long(at)));
    const { user, address } = await openList(addressOf(filter));
    await firstRow();
    const before = address();
    await user.click(screen.getByRole('button', { name: /^Change filter: Delivery Doc is / }));
    const box = screen.getByRole('combobox', { name: 'Value' });
    fireEvent.change(box, { target: { value: long(28) } });
    expect(screen.getByText('Too many filters or values. Remove some of them.')).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Apply' })).toBeDisabled();
    await expectAccessible();
    await user.clear(box);
    expect(screen.queryByText('Too many filters or values. Remove some of them.')).not.toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Apply' }));
    expect(address()).toBe(before);
  });

  it('ask for whole days of the organization', async () => {
    await openList(addressOf(filterOf('scheduledatetime', 'inDateRange', '2026-11-14', '2026-11-20')));
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
    const { user } = await openList();
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
    const { user } = await openList();
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
    await openList(addressOf(filterOf('dateRange', 'inDateRange', '2026-11-20', '2026-11-20')));
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

  it('take no day that is beyond the calendar, and say so', async () => {
    const { user } = await openList();
    await firstRow();
    await user.click(screen.getByText('Filter'));
    const menu = await screen.findByRole('dialog');
    await user.click(within(menu).getByText('Date Range'));
    await user.click(screen.getByLabelText('Custom'));
    const to = () => screen.getByLabelText('To');
    fireEvent.change(to(), { target: { value: '9999-12-31' } });
    expect(to()).toHaveAccessibleDescription('Enter a year from 1900 to 9998');
    expect(screen.getByText('Apply')).toBeDisabled();
    // The year 2026 is being typed.
    fireEvent.change(to(), { target: { value: '0020-12-31' } });
    expect(to()).not.toHaveAccessibleDescription();
    expect(screen.getByText('Apply')).toBeDisabled();
    fireEvent.change(to(), { target: { value: '2026-12-31' } });
    expect(screen.getByText('Apply')).toBeEnabled();
  });

  it('ask for times of day where they are told', async () => {
    const { user } = await openList();
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
    const { user, address } = await openList(addressOf(filterOf('trucker', 'equals', 'Habagat Fleet')));
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
    const { user } = await openList();
    await firstRow();
    await user.type(screen.getByRole('textbox', { name: 'Delivery Doc' }), '1184{Enter}');
    await waitFor(() =>
      expect(asked().where).toEqual([{ key: 'id', operator: 'contains', values: ['1184'] }]),
    );
  });

  it('that cannot be used are dropped, with a toast', async () => {
    const { address } = await openList('/deliveries?filters=%F0%9F%9A%9A&sort=secret&limit=7');
    await firstRow();
    expect(await screen.findByText(/couldn't be used/)).toBeInTheDocument();
    expect(address()).toBe('/deliveries');
  });
});
