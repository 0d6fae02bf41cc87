import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import { Table, type TableColumn } from './table';

it('groups rows of a table under cells that cover them, and sums them below', async () => {
  interface Load {
    driver: string;
    kg: number;
    at: number;
  }
  const loads: Load[] = [
    { driver: 'Ana', kg: 9, at: 0 },
    { driver: 'Ana', kg: 4, at: 1 },
    { driver: 'Ben', kg: 2, at: 0 },
  ];
  const onHover = vi.fn<(load: Load | undefined) => void>();
  const { container } = render(
    <Table
      look="groups"
      caption="Loads"
      columns={[
        {
          id: 'driver',
          header: 'Driver',
          render: ({ driver }) => driver,
          names: true,
          span: ({ driver, at }) => (at === 0 ? loads.filter((load) => load.driver === driver).length : 0),
          footer: 'All',
        },
        { id: 'kg', header: 'Load', render: ({ kg }) => kg, end: true, footer: 15 },
      ]}
      rows={loads}
      rowKey={(_, index) => String(index)}
      groupKey={({ driver }) => driver}
      onHover={onHover}
    />,
  );
  const names = screen.getAllByRole('rowheader');
  expect(names.map((name) => [name.textContent, name.getAttribute('rowspan')])).toEqual([
    ['Ana', '2'],
    ['Ben', null],
    ['All', null],
  ]);
  expect([...container.querySelectorAll('tbody')].map((group) => group.rows.length)).toEqual([2, 1]);
  expect(container.querySelector('tfoot')).toHaveTextContent('All15');
  await userEvent.hover(screen.getByRole('cell', { name: '4' }));
  expect(onHover).toHaveBeenLastCalledWith(loads[1]);
});

it('keeps what is typed into a table, and prepares only the row that changed', async () => {
  const items = [{ id: 'a' }, { id: 'b' }];
  const prepared = vi.fn<(id: string) => void>();
  interface Item {
    id: string;
    text: string;
    setText: (text: string) => void;
  }
  function Prepared({ row: { id }, children }: { row: { id: string }; children: (item: Item) => React.ReactNode }) {
    const [text, setText] = useState('');
    prepared(id);
    return children({ id, text, setText });
  }
  const columns: TableColumn<Item>[] = [
    {
      id: 'text',
      header: 'Text',
      render: ({ id, text, setText }) => (
        <input aria-label={id} value={text} onChange={({ target }) => setText(target.value)} />
      ),
    },
  ];
  render(<Table look="inputs" columns={columns} rows={items} rowKey={({ id }) => id} prepare={Prepared} />);
  prepared.mockClear();
  await userEvent.type(screen.getByRole('textbox', { name: 'b' }), 'xyz');
  expect(screen.getByRole('textbox', { name: 'b' })).toHaveValue('xyz');
  expect(new Set(prepared.mock.calls.flat())).toEqual(new Set(['b']));
});
