import { screen, waitFor, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { declarations } from '@/app/declarations';
import { expectAccessible } from '@/test/axe';
import { uploadLog } from '@/test/deliveries';
import { rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';

const slow = { timeout: 15_000 };
vi.setConfig({ testTimeout: 20_000 });

const field = (name: string, label: string, required = false) => ({
  __typename: 'ImportField',
  name,
  label,
  required,
});
const column = (heading: string, examples: string[], proposed: string | null) => ({
  __typename: 'ImportColumn',
  heading,
  examples,
  field: proposed,
});
const row = (line: number, cells: string[]) => ({ __typename: 'ImportPreviewRow', line, cells });

let saved: unknown[];
let refusal: string | undefined;

function open(user: Record<string, unknown> = rosa) {
  saved = [];
  refusal = undefined;
  let log = uploadLog({ status: 'needs_mapping', rowsTotal: 0 });
  startFakeServer({
    user,
    operations: {
      UploadedDetails: () => ({ data: { uploadLog: log } }),
      ImportMapping: (variables) => {
        const first = (variables as { headerLine?: number }).headerLine === 1;
        return {
          data: {
            importMapping: {
              __typename: 'ImportMapping',
              headerLine: first ? 1 : 2,
              rows: [row(1, ['Orders of Monday']), row(2, ['Beleg', 'Datum', 'Color'])],
              columns: first
                ? [column('Orders of Monday', ['Beleg'], null)]
                : [
                    column('Beleg', ['DR-1', 'DR-2'], 'delivery_id'),
                    column('Datum', ['2026-11-22 08:30'], null),
                    column('', ['red'], null),
                  ],
              fields: [
                field('delivery_id', 'Delivery Doc', true),
                field('scheduledatetime', 'Dispatch Date and Time', true),
                field('scheduledate', 'Dispatch Date'),
              ],
            },
          },
        };
      },
      SaveImportMapping: (variables) => {
        saved.push(variables);
        if (refusal !== undefined) {
          return { errors: [{ message: refusal, extensions: { code: 'BAD_USER_INPUT' } }] };
        }
        log = uploadLog();
        return { data: { saveImportMapping: { __typename: 'UploadLog', id: 'u1', status: 'uploaded' } } };
      },
    },
  });
  return renderRoutes(declarations, '/uploaded-details/u1');
}

it('shows columns with examples, proposes fields, and goes on once all required ones are chosen', async () => {
  const { user } = open();
  const table = within(await screen.findByRole('table', undefined, slow));
  expect(table.getAllByRole('row').map(({ children }) => [...children].slice(0, 2).map((it) => it.textContent))).toEqual([
    ['Column in your file', 'Examples'],
    ['Beleg', 'DR-1 · DR-2'],
    ['Datum', '2026-11-22 08:30'],
    ['Column 3', 'red'],
  ]);
  expect(screen.getByRole('combobox', { name: 'Field for Beleg' })).toHaveValue('delivery_id');
  expect(screen.getByText('Still missing: Dispatch Date and Time')).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Continue' })).toBeDisabled();
  await expectAccessible();

  // A separate date column replaces the combined date and time column.
  await user.selectOptions(screen.getByRole('combobox', { name: 'Field for Datum' }), 'Dispatch Date');
  expect(screen.getByText('All required columns are matched.')).toBeInTheDocument();
  refusal = 'Not like that.';
  await user.click(screen.getByRole('button', { name: 'Continue' }));
  await screen.findByText('Not like that.');
  refusal = undefined;
  await user.click(screen.getByRole('button', { name: 'Continue' }));
  await screen.findByText('Done. All 10 rows were read.', undefined, slow);
  expect(saved.at(-1)).toEqual({
    input: { uploadLog: 'u1', headerLine: 2, fields: ['delivery_id', 'scheduledate', null] },
  });
});

it('lets another row be the header', async () => {
  const { user } = open();
  await user.selectOptions(
    await screen.findByRole('combobox', { name: 'Header row' }, slow),
    'Row 1: Orders of Monday',
  );
  await screen.findByRole('combobox', { name: 'Field for Orders of Monday' });
  await waitFor(() => expect(screen.getByRole('combobox', { name: 'Header row' })).toHaveValue('1'));
});

it('only says what is waited for to whoever only reads', async () => {
  open({ ...rosa, roles: ['viewer'] });
  await screen.findByText('Someone with permission to import has to match the columns.', undefined, slow);
  expect(screen.queryByRole('button', { name: 'Continue' })).not.toBeInTheDocument();
});
