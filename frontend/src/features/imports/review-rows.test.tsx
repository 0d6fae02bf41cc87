import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { declarations } from '@/app/declarations';
import { expectAccessible } from '@/test/axe';
import { uploadLog } from '@/test/deliveries';
import { type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';

const slow = { timeout: 15_000 };
vi.setConfig({ testTimeout: 30_000 });

interface Cell {
  rowNumber: number;
  column: number;
  value: string;
}

const TOTAL = 100_000;
let server: FakeServer;
let log: ReturnType<typeof uploadLog>;
let saved: Cell[];
let kept: boolean;
let failing: boolean;
/** Whether the answers to corrections are lost. */
let isLost: boolean;
/** The answers of replacing in a column, one for each request, and then 1. */
let replaced: Promise<number>[];

const isRefused = (rowNumber: number) => rowNumber === 3 || rowNumber === 5;

function row(rowNumber: number) {
  const refused = isRefused(rowNumber);
  return {
    __typename: 'ReviewRow',
    rowNumber,
    sheetRow: rowNumber,
    sheet: null,
    result: refused ? 'refused' : 'created',
    cells: rowNumber === 4 ? [] : [`DR-${rowNumber}`, 'Acme', refused ? 'many' : '1'],
    corrections: saved
      .filter((it) => it.rowNumber === rowNumber)
      .map(({ column, value }) => ({ __typename: 'UploadCorrection', column, value })),
    messages: refused
      ? [
          {
            __typename: 'UploadRowMessage',
            column: 'Quantity',
            columnIndex: 2,
            code: 'NUMBER',
            text: 'Quantity is not a number.',
          },
        ]
      : [],
  };
}

beforeEach(() => {
  saved = [];
  [kept, failing, isLost] = [true, false, false];
  replaced = [];
  log = uploadLog({
    status: 'validated',
    rowsTotal: TOTAL,
    rowsCreated: TOTAL - 2,
    rowsUpdated: 0,
    rowsSkipped: 0,
    rowsFailed: 2,
  });
});

function open(path = '/uploaded-details/u1', user = rosa) {
  server = startFakeServer({
    user,
    operations: {
      UploadedDetails: () => ({ data: { uploadLog: log } }),
      ReviewRows: (variables) => {
        if (failing) return { errors: [{ message: 'The service is restarting.', extensions: { code: 'UNAVAILABLE' } }] };
        const { result, offset, limit } = variables as { result: string | null; offset: number; limit: number };
        const refused = result === 'refused';
        const numbers = refused ? [3, 5] : Array.from({ length: TOTAL }, (_, index) => index + 2);
        const rows = kept ? numbers.slice(offset, offset + limit).map(row) : [];
        const total = kept ? numbers.length : 0;
        return { data: { reviewRows: { __typename: 'ReviewRows', rows, total, kept } } };
      },
      CorrectUploadRows: (variables) => {
        const { cells } = (variables as { input: { cells: Cell[] } }).input;
        saved.push(...cells);
        log = { ...log, changedSinceCheck: true };
        if (isLost) throw new TypeError('lost');
        return { data: { correctUploadRows: { __typename: 'CorrectedCells', changed: cells.length } } };
      },
      ReplaceInUploadColumn: async () => ({
        data: { replaceInUploadColumn: { __typename: 'CorrectedCells', changed: (await replaced.shift()) ?? 1 } },
      }),
      CheckImportAgain: () => {
        log = uploadLog({ status: 'checking' });
        return { data: { checkImportAgain: { __typename: 'UploadLog', id: 'u1', status: 'checking' } } };
      },
      UploadRows: () => ({ data: { uploadRows: [], uploadRowsCount: { __typename: 'Count', total: 0, exact: true } } }),
      RefusedRows: () => ({
        data: { uploadRows: [], uploadRowsCount: { __typename: 'Count', total: 0, exact: true } },
      }),
    },
  });
  return renderRoutes(declarations, path);
}

const asked = (name: string) => server.calls.filter((call) => call.name === name).map(({ variables }) => variables);
const heads = () => screen.getAllByRole('rowheader').map(({ textContent }) => textContent);

it('shows the wrong rows first, and saves a cell that is corrected with the keyboard', async () => {
  const { user } = open();
  const grid = await screen.findByRole('grid', { name: 'Rows' }, slow);
  expect(heads()).toEqual(['Row 3Refused', 'Row 5Refused']);
  expect(within(grid).getAllByRole('gridcell')[2]).toHaveAttribute('aria-invalid', 'true');
  const tabs = within(screen.getByRole('navigation', { name: 'Rows by result' })).getAllByRole('link');
  expect(tabs.map(({ textContent }) => textContent)).toEqual([
    'All100,000',
    'Refused2',
    'New99,998',
    'Changed0',
    'Skipped0',
  ]);
  await expectAccessible();

  within(grid).getAllByRole('gridcell')[2]?.focus();
  await user.keyboard('4{Enter}');
  await waitFor(() => expect(saved).toEqual([{ rowNumber: 3, column: 2, value: '4' }]));
  expect(document.activeElement).toBe(within(grid).getAllByRole('gridcell')[5]);
  await screen.findByText('1 more cell in “Quantity” has “many”.');
  // The check is out of date now, so the page proposes another one.
  await user.click(await screen.findByRole('button', { name: 'Check again' }));
  await waitFor(() => expect(asked('CheckImportAgain')).toHaveLength(1));
});

it('offers the cells that are like the latest correction, whichever count arrives last', async () => {
  const { user } = open();
  const grid = await screen.findByRole('grid', { name: 'Rows' }, slow);
  let answer: (count: number) => void = () => undefined;
  replaced = [new Promise((resolve) => (answer = resolve))];
  within(grid).getAllByRole('gridcell')[2]?.focus();
  await user.keyboard('4{Enter}');
  await waitFor(() => expect(asked('ReplaceInUploadColumn')).toHaveLength(1));
  await user.keyboard('5{Enter}');
  const offer = await screen.findByText('1 more cell in “Quantity” has “many”.');
  await act(async () => {
    answer(7);
    // Until the answer was read.
    await new Promise((resolve) => setTimeout(resolve));
  });
  expect(offer).toHaveTextContent('1 more cell');
});

it('edits a cell that a finger taps again', async () => {
  const { user } = open();
  const grid = await screen.findByRole('grid', { name: 'Rows' }, slow);
  const cell = within(grid).getAllByRole('gridcell')[2] as HTMLElement;
  await user.pointer({ keys: '[TouchA]', target: cell });
  expect(cell).toHaveFocus();
  expect(within(cell).queryByRole('textbox')).not.toBeInTheDocument();
  await user.pointer({ keys: '[TouchA]', target: cell });
  expect(within(cell).getByRole('textbox')).toHaveFocus();
  await user.keyboard('{Backspace>4/}4{Enter}');
  await waitFor(() => expect(saved).toEqual([{ rowNumber: 3, column: 2, value: '4' }]));
});

it('proposes another check when the answer to a correction was lost', async () => {
  const { user } = open();
  const grid = await screen.findByRole('grid', { name: 'Rows' }, slow);
  isLost = true;
  within(grid).getAllByRole('gridcell')[2]?.focus();
  await user.keyboard('4{Enter}');
  await screen.findByText('Not saved');
  expect(await screen.findByRole('button', { name: 'Check again' })).toBeInTheDocument();
});

it('shows the rows of another result without moving the page', async () => {
  const { user, address, router } = open();
  await screen.findByRole('grid', { name: 'Rows' }, slow);
  await user.click(screen.getByRole('link', { name: /^New/ }));
  await waitFor(() => expect(heads()[0]).toBe('Row 2New'));
  expect(address()).toBe('/uploaded-details/u1?rows=created');
  expect(router.state.preventScrollReset).toBe(true);
});

it('shows all rows when the link says so, and loads more on the way to the last one', async () => {
  const { user } = open('/uploaded-details/u1?rows=all');
  const grid = await screen.findByRole('grid', { name: 'Rows' }, slow);
  expect(grid).toHaveAttribute('aria-rowcount', String(TOTAL + 1));
  expect(heads()[0]).toBe('Row 2New');
  expect(within(grid).getAllByRole('row').length).toBeLessThan(40);
  within(grid).getAllByRole('gridcell')[0]?.focus();
  await user.keyboard('{Control>}{End}{/Control}');
  const focused = () => document.activeElement?.closest('[role="row"]');
  await waitFor(() => expect(focused()).toHaveAttribute('aria-rowindex', String(TOTAL + 1)));
  await user.keyboard('{Control>}{Home}{/Control}');
  expect(focused()).toHaveAttribute('aria-rowindex', '2');
  await user.keyboard('{ArrowDown}');
  expect(focused()).toHaveTextContent('Row 3');
});

it('does not take changes in a row that is too long', async () => {
  const { user } = open('/uploaded-details/u1?rows=all');
  const grid = await screen.findByRole('grid', { name: 'Rows' }, slow);
  expect(heads()[2]).toContain('This row is too long to correct here.');
  within(grid).getAllByRole('gridcell')[6]?.focus();
  await user.keyboard('x');
  expect(screen.queryByRole('textbox', { name: /row 4/ })).not.toBeInTheDocument();
});

it('shows the rows to someone who only reads, without changing them', async () => {
  const { user } = open('/uploaded-details/u1', { ...rosa, roles: ['viewer'] });
  const grid = await screen.findByRole('grid', { name: 'Rows' }, slow);
  expect(screen.queryByRole('button', { name: 'Replace in column' })).not.toBeInTheDocument();
  within(grid).getAllByRole('gridcell')[2]?.focus();
  await user.keyboard('7{Enter}');
  expect(saved).toEqual([]);
});

it('says that the rows are no longer kept, and offers another check', async () => {
  kept = false;
  const { user } = open();
  await screen.findByText('The rows of this check are no longer available', undefined, slow);
  await user.click(screen.getByRole('button', { name: 'Check again' }));
  await waitFor(() => expect(asked('CheckImportAgain')).toHaveLength(1));
});

it('loads rows again when that failed', async () => {
  failing = true;
  const { user } = open();
  await screen.findByText("Couldn't load some rows.", undefined, slow);
  failing = false;
  await user.click(screen.getByRole('button', { name: 'Retry' }));
  await screen.findByRole('grid', { name: 'Rows' }, slow);
});

function narrowScreen() {
  const matches = (query: string) => query.includes('767');
  vi.spyOn(window, 'matchMedia').mockImplementation(
    (query) =>
      ({
        matches: matches(query),
        addEventListener: () => undefined,
        removeEventListener: () => undefined,
      }) as unknown as MediaQueryList,
  );
}

it('opens the last page for a link beyond the end of the rows, on a narrow screen', async () => {
  narrowScreen();
  const { address } = open('/uploaded-details/u1?offset=100');
  await screen.findByText('Row 5', undefined, slow);
  expect(address()).toBe('/uploaded-details/u1');
});

it('says on a narrow screen that the next page failed, instead of showing the rows of the page before', async () => {
  narrowScreen();
  const { user } = open('/uploaded-details/u1?rows=all');
  await screen.findByText('Row 2', undefined, slow);
  failing = true;
  await user.click(screen.getByRole('button', { name: 'Next page' }));
  const retry = await screen.findByRole('button', { name: 'Retry' });
  expect(screen.queryByText('Row 2')).not.toBeInTheDocument();
  failing = false;
  await user.click(retry);
  await screen.findByText('Row 27', undefined, slow);
});
