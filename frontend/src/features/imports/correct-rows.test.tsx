import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
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

let server: FakeServer;
/** The corrections that the server has stored. */
let kept: Cell[];
let refusal: string | undefined;
let log: Record<string, unknown>;
/** Corrections are stored once this has resolved. */
let storing: Promise<void>;
/** Whether the answers to changes are lost. */
let isLost: boolean;
/** An error in place of the next answer, after the corrections were stored. */
let failure: Record<string, unknown> | undefined;
/** The position of the refused column, if the server knows it. */
let refusedIn: number | null;
/** The refused rows, by their numbers, if not the usual ones. */
let rowNumbers: number[] | undefined;
/** Whether only the first rows can be loaded. */
let isCutOff: boolean;

const row = (rowNumber: number, cells: string[], column: string | null, text: string) => ({
  __typename: 'UploadRow',
  uploadLogId: 'u1',
  rowNumber,
  sheetRow: rowNumber,
  sheet: null,
  cells,
  corrections: kept
    .filter((it) => it.rowNumber === rowNumber)
    .map(({ column: place, value }) => ({ __typename: 'UploadCorrection', column: place, value })),
  messages: [
    { __typename: 'UploadRowMessage', column, columnIndex: column && refusedIn, code: 'WRONG', text },
  ],
});

const rows = () => [
  row(2, ['DR-2', 'Acme', 'many'], 'Quantity', 'Quantity is not a number.'),
  row(3, ['DR-3', 'Acme', 'many'], 'Quantity', 'Quantity is not a number.'),
  row(4, ['DR-3', 'Acme', '5'], null, 'Row 3 of this document was refused.'),
];

const changed = (field: string, number: number) => ({
  data: { [field]: { __typename: 'CorrectedCells', changed: number } },
});

function open(user: Record<string, unknown> = rosa) {
  kept = [];
  refusal = undefined;
  storing = Promise.resolve();
  refusedIn = null;
  rowNumbers = undefined;
  isCutOff = false;
  isLost = false;
  failure = undefined;
  log = uploadLog({ status: 'imported_with_errors', rowsFailed: 3 });
  server = startFakeServer({
    user,
    operations: {
      UploadedDetails: () => ({ data: { uploadLog: log } }),
      CorrectableRows: (variables) => {
        const { offset, limit } = (variables as { page: { offset: number; limit: number } }).page;
        if (isCutOff && offset > 0) throw new TypeError('lost');
        const all = rowNumbers?.map((it) => row(it, [`DR-${it}`, 'Acme', '5'], null, 'Refused.')) ?? rows();
        return {
          data: {
            uploadRows: all.slice(offset, offset + limit),
            uploadRowsCount: { __typename: 'Count', total: all.length, exact: true },
          },
        };
      },
      CorrectUploadRows: async (variables) => {
        await storing;
        if (refusal) return { errors: [{ message: refusal, extensions: { code: 'BAD_USER_INPUT' } }] };
        const { cells } = (variables as { input: { cells: Cell[] } }).input;
        kept.push(...cells);
        if (isLost) throw new TypeError('lost');
        const extensions = failure;
        failure = undefined;
        if (extensions) return { errors: [{ message: 'Try again in a moment.', extensions }] };
        return changed('correctUploadRows', cells.length);
      },
      ReplaceInUploadColumn: async (variables) => {
        await storing;
        const { input } = variables as { input: { value: string; dryRun?: boolean } };
        if (!input.dryRun) kept.push({ rowNumber: 3, column: 2, value: input.value });
        if (isLost) throw new TypeError('lost');
        return changed('replaceInUploadColumn', 1);
      },
      ImportCorrectedRows: () => {
        log = uploadLog({ status: 'imported', rowsFailed: 0 });
        const started = { __typename: 'UploadLog', id: 'u1', status: 'correcting' };
        return { data: { importCorrectedRows: started } };
      },
    },
  });
  return renderRoutes(declarations, '/uploaded-details/u1');
}

const cells = () => screen.getAllByRole('gridcell').map(({ textContent }) => textContent);
const asked = (name: string) => server.calls.filter((call) => call.name === name).map(({ variables }) => variables);

it('says that imports are paused before corrected rows are imported', async () => {
  open({ ...rosa, settings: { importPausedUntil: '2126-01-31T06:00' } });
  await screen.findByRole('grid', { name: 'Rows not imported' }, slow);
  expect(screen.getByText(/^Imports can't start until Jan 31, 2126 6:00 AM\./)).toBeInTheDocument();
});

it('corrects cells by keys alone, offers the others like them, and imports them', async () => {
  const { user } = open();
  const grid = await screen.findByRole('grid', { name: 'Rows not imported' }, slow);
  expect(within(grid).getAllByRole('columnheader').map((it) => it.textContent)).toEqual([
    'Row',
    'Delivery Doc',
    'Trucker',
    'Quantity',
  ]);
  expect(within(grid).getAllByRole('rowheader')[2]).toHaveTextContent(
    'Row 4Row 3 of this document was refused.',
  );
  const wrong = screen.getAllByRole('gridcell')[2];
  expect(wrong).toHaveTextContent('manyQuantity is not a number.');
  expect(wrong).toHaveAttribute('aria-invalid', 'true');
  await expectAccessible();

  // Focus the first cell. The arrow keys then move from there.
  screen.getAllByRole('gridcell')[0]?.focus();
  await user.keyboard('{ArrowRight}{ArrowRight}');
  expect(document.activeElement).toBe(screen.getAllByRole('gridcell')[2]);
  await user.keyboard('{Enter}x{Escape}');
  expect(cells()[2]).toBe('manyQuantity is not a number.');
  expect(kept).toEqual([]);
  await user.keyboard('1{Enter}');
  expect(document.activeElement).toBe(screen.getAllByRole('gridcell')[5]);
  await screen.findByText('Saved');
  expect(kept).toEqual([{ rowNumber: 2, column: 2, value: '1' }]);

  await screen.findByText('1 more cell in “Quantity” has “many”.');
  await user.click(screen.getByRole('button', { name: 'Apply this correction to 1 more cell' }));
  expect(document.activeElement).toBe(screen.getAllByRole('gridcell')[5]);
  await waitFor(() => expect(cells()[5]).toMatch(/^1/));
  expect(asked('ReplaceInUploadColumn').at(-1)).toMatchObject({
    input: { uploadLog: 'u1', column: 2, find: 'many', value: '1', wholeCell: true },
  });

  // F2 edits the current value; Tab saves and moves right.
  screen.getAllByRole('gridcell')[6]?.focus();
  await user.keyboard('{F2}0{Tab}');
  expect(document.activeElement).toBe(screen.getAllByRole('gridcell')[7]);
  await waitFor(() => expect(kept.at(-1)).toEqual({ rowNumber: 4, column: 0, value: 'DR-30' }));

  await user.click(screen.getByRole('button', { name: 'Import corrected rows' }));
  await screen.findByText('Done. All 10 rows were read.', undefined, slow);
  await waitFor(() => expect(screen.queryByRole('grid')).not.toBeInTheDocument());
});

it('pastes a column over rows that are not loaded yet, or nothing if they cannot be loaded', async () => {
  open();
  rowNumbers = Array.from({ length: 150 }, (_, index) => index + 2);
  isCutOff = true;
  await screen.findByRole('grid', undefined, slow);
  const column = rowNumbers.map((it) => `X-${it}`);
  const paste = () =>
    fireEvent.paste(screen.getAllByRole('gridcell')[0] as HTMLElement, {
      clipboardData: { getData: () => `${column.join('\r\n')}\r\n` },
    });
  paste();
  await screen.findByText("Nothing was pasted because some rows couldn't be loaded. Try again.", undefined, slow);
  expect(asked('CorrectUploadRows')).toEqual([]);
  isCutOff = false;
  paste();
  await waitFor(() => expect(kept.map(({ value }) => value)).toEqual(column));
});

/** A clipboard with a text, or without any. */
const clipboard = (text = '') => ({
  clipboardData: { getData: () => text, setData: (_: string, copied: string) => void (text = copied) },
});
const cellAt = (place: number) => screen.getAllByRole('gridcell')[place] as HTMLElement;
const goTo = (place: number) => act(() => cellAt(place).focus());

it('pastes a cell with a line break into one cell, and nothing without a text', async () => {
  open();
  await screen.findByRole('grid', undefined, slow);
  goTo(1);
  fireEvent.paste(cellAt(1), clipboard());
  fireEvent.paste(cellAt(1), clipboard('"a\nb"\tc'));
  await waitFor(() =>
    expect(kept).toEqual([
      { rowNumber: 2, column: 1, value: 'a\nb' },
      { rowNumber: 2, column: 2, value: 'c' },
    ]),
  );

  const copied = clipboard();
  fireEvent.copy(cellAt(1), copied);
  goTo(4);
  fireEvent.paste(cellAt(4), copied);
  await waitFor(() => expect(kept.slice(2)).toEqual([{ rowNumber: 3, column: 1, value: 'a\nb' }]));
  expect(asked('CorrectUploadRows')).toHaveLength(2);
});

it('empties a cell with a copy of an empty one', async () => {
  open();
  kept = [{ rowNumber: 2, column: 1, value: '' }];
  await screen.findByRole('grid', undefined, slow);
  const copied = clipboard();
  goTo(1);
  fireEvent.copy(cellAt(1), copied);
  goTo(4);
  fireEvent.paste(cellAt(4), copied);
  await waitFor(() => expect(kept.slice(1)).toEqual([{ rowNumber: 3, column: 1, value: '' }]));
});

it('leaves the keys of an input method to it', async () => {
  const { user } = open();
  await screen.findByRole('grid', undefined, slow);
  goTo(1);
  await user.keyboard('{Enter}');
  const input = screen.getByRole('textbox', { name: /Trucker/ });
  fireEvent.keyDown(input, { key: 'Enter', isComposing: true });
  expect(input).toHaveFocus();
  fireEvent.keyDown(input, { key: 'Enter' });
  expect(document.activeElement).toBe(cellAt(4));
});

it.each([
  ['Option on a Mac', 'Mac OS X', { key: 'å', altKey: true }, ['å']],
  ['AltGr', 'Linux', { key: '@', modifierAltGraph: true }, ['@']],
  ['AltGr on Windows', 'Windows NT 10.0', { key: '@', ctrlKey: true, altKey: true, modifierAltGraph: true }, ['@']],
  ['Alt on Windows', 'Windows NT 10.0', { key: 'f', altKey: true }, []],
  ['Ctrl', 'Linux', { key: 'f', ctrlKey: true }, []],
  ['Ctrl and Option', 'Mac OS X', { key: 'å', altKey: true, ctrlKey: true }, []],
])('knows whether a key with %s enters a character', async (_, system, key, entered) => {
  open();
  vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue(`Mozilla/5.0 (${system})`);
  await screen.findByRole('grid', undefined, slow);
  goTo(1);
  fireEvent.keyDown(cellAt(1), key);
  const inputs = screen.queryAllByRole<HTMLInputElement>('textbox', { name: /Trucker/ });
  expect(inputs.map(({ value }) => value)).toEqual(entered);
});

it('shows what was corrected before, and takes back what could not be saved', async () => {
  const { user } = open();
  kept = [{ rowNumber: 3, column: 2, value: '7' }];
  await screen.findByRole('grid', undefined, slow);
  await waitFor(() => expect(cells()[5]).toMatch(/^7.*Original value: many$/));
  refusal = 'Row 2 is no longer refused.';
  screen.getAllByRole('gridcell')[2]?.focus();
  await user.keyboard('9{Enter}');
  await screen.findByText('Row 2 is no longer refused.');
  expect(cells()[2]).toMatch(/^many/);
});

it('keeps cells whose answer was lost, imports nothing until they are saved, and sends them again', async () => {
  const { user } = open();
  await screen.findByRole('grid', undefined, slow);
  isLost = true;
  goTo(2);
  await user.keyboard('9{Enter}');
  await screen.findByText('Not saved');
  expect(cells()[2]).toMatch(/^9/);
  await expectAccessible();
  const closing = new Event('beforeunload', { cancelable: true });
  window.dispatchEvent(closing);
  expect(closing.defaultPrevented).toBe(true);
  await user.click(screen.getByRole('button', { name: 'Import corrected rows' }));
  await waitFor(() => expect(asked('CorrectUploadRows')).toHaveLength(2));
  await screen.findByText('Not saved');
  expect(asked('ImportCorrectedRows')).toEqual([]);

  // A newer value of the cell is sent, with the others.
  goTo(5);
  await user.keyboard('8{Enter}');
  await waitFor(() => expect(asked('CorrectUploadRows')).toHaveLength(3));
  await screen.findByText('Not saved');
  isLost = false;
  goTo(2);
  await user.keyboard('7{Enter}');
  await screen.findByText('Saved');
  expect(asked('CorrectUploadRows').at(-1)).toEqual({
    input: {
      uploadLog: 'u1',
      cells: [
        { rowNumber: 2, column: 2, value: '7' },
        { rowNumber: 3, column: 2, value: '8' },
      ],
    },
  });
});

it('sends the cells again at the click of Retry', async () => {
  const { user } = open();
  await screen.findByRole('grid', undefined, slow);
  isLost = true;
  goTo(2);
  await user.keyboard('9{Enter}');
  const retry = await screen.findByRole('button', { name: 'Retry' });
  await user.click(retry);
  await waitFor(() => expect(asked('CorrectUploadRows')).toHaveLength(2));
  await screen.findByText('Not saved');
  expect(retry).toHaveFocus();
  isLost = false;
  await user.click(retry);
  await screen.findByText('Saved');
  expect(screen.queryByRole('button', { name: 'Retry' })).not.toBeInTheDocument();
});

it.each([
  ['an answer is lost behind the gateway', { code: 'UNAVAILABLE', reason: 'ANSWER_LOST' }],
  ['the store is full', { code: 'STORAGE_FULL' }],
])('keeps cells when %s, and sends them again', async (_, extensions) => {
  const { user } = open();
  await screen.findByRole('grid', undefined, slow);
  failure = extensions;
  goTo(2);
  await user.keyboard('9{Enter}');
  await screen.findByText('Not saved');
  expect(cells()[2]).toMatch(/^9/);
  await user.click(screen.getByRole('button', { name: 'Retry' }));
  await screen.findByText('Saved');
  const [first, second] = asked('CorrectUploadRows');
  expect(second).toEqual(first);
});

it('asks before cells that are not saved are left, but not for another view of the same rows', async () => {
  const { user, router, address } = open();
  await screen.findByRole('grid', undefined, slow);
  isLost = true;
  goTo(2);
  await user.keyboard('9{Enter}');
  await screen.findByText('Not saved');
  await act(() => router.navigate('/uploaded-details/u1?rows=all'));
  expect(address()).toBe('/uploaded-details/u1?rows=all');
  await act(() => router.navigate('/deliveries'));
  const question = within(await screen.findByRole('alertdialog', { name: 'Leave without saving?' }));
  await user.click(question.getByRole('button', { name: 'Stay' }));
  expect(cells()[2]).toMatch(/^9/);
});

it('shows what a replacement changed whose answer was lost', async () => {
  const { user } = open();
  await screen.findByRole('grid', undefined, slow);
  await user.click(screen.getByRole('button', { name: 'Replace in column' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Replace in column' }));
  isLost = true;
  await user.type(dialog.getByRole('textbox', { name: 'Replace with' }), '12');
  await user.click(dialog.getByRole('button', { name: 'Replace' }));
  await waitFor(() => expect(dialog.getByRole('button', { name: 'Replace' })).toBeEnabled());
  await user.click(dialog.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(cells()[5]).toMatch(/^12/));
});

it('replaces a value in a column of all rows', async () => {
  const { user } = open();
  await screen.findByRole('grid', undefined, slow);
  await user.click(screen.getByRole('button', { name: 'Replace in column' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Replace in column' }));
  await user.selectOptions(dialog.getByRole('combobox', { name: 'Column' }), 'Quantity');
  await user.clear(dialog.getByRole('textbox', { name: 'Find' }));
  expect(dialog.getByRole('button', { name: 'Replace' })).toBeDisabled();
  await user.type(dialog.getByRole('textbox', { name: 'Find' }), 'many');
  await user.type(dialog.getByRole('textbox', { name: 'Replace with' }), '12');
  await expectAccessible();
  await user.click(dialog.getByRole('button', { name: 'Replace' }));
  await screen.findByText('1 cell replaced');
  expect(asked('ReplaceInUploadColumn')).toEqual([
    { input: { uploadLog: 'u1', column: 2, find: 'many', value: '12', wholeCell: false } },
  ]);
  await waitFor(() => expect(cells()[5]).toMatch(/^12/));
});

it('keeps the dialog to replace a value open until it is done', async () => {
  let store: () => void = () => undefined;
  storing = new Promise((resolve) => (store = resolve));
  const { user } = open();
  await screen.findByRole('grid', undefined, slow);
  await user.click(screen.getByRole('button', { name: 'Replace in column' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Replace in column' }));
  await user.type(dialog.getByRole('textbox', { name: 'Find' }), 'many');
  await user.click(dialog.getByRole('button', { name: 'Replace' }));
  await waitFor(() => expect(dialog.getByRole('button', { name: 'Cancel' })).toBeDisabled());
  store();
  await screen.findByText('1 cell replaced');
});

it('marks the refused one of two columns that share a heading', async () => {
  const { user } = open();
  log = uploadLog({ status: 'imported_with_errors', rowsFailed: 3, headings: ['Delivery Doc', 'Quantity', 'Quantity'] });
  refusedIn = 2;
  await screen.findByRole('grid', undefined, slow);
  const shown = screen.getAllByRole('gridcell');
  expect(shown[1]).not.toHaveAttribute('aria-invalid');
  expect(shown[2]).toHaveTextContent('manyQuantity is not a number.');
  expect(shown[2]).toHaveAttribute('aria-invalid', 'true');
  shown[2]?.focus();
  await user.keyboard('4{Enter}');
  await waitFor(() => expect(kept).toEqual([{ rowNumber: 2, column: 2, value: '4' }]));
  // Only cells in the same column with the same value are counted.
  await screen.findByText('1 more cell in “Quantity” has “many”.');
  expect(asked('ReplaceInUploadColumn').at(-1)).toMatchObject({ input: { column: 2, find: 'many', dryRun: true } });
});

it('does not guess the column where rows of an earlier release name only a shared heading', async () => {
  open();
  log = uploadLog({ status: 'imported_with_errors', rowsFailed: 3, headings: ['Delivery Doc', 'Quantity', 'Quantity'] });
  const grid = await screen.findByRole('grid', undefined, slow);
  expect(within(grid).getAllByRole('rowheader')[0]).toHaveTextContent('Quantity: Quantity is not a number.');
  for (const cell of screen.getAllByRole('gridcell')) expect(cell).not.toHaveAttribute('aria-invalid');
});

it('asks before the page is closed while a cell is not saved', async () => {
  const { user } = open();
  const closing = () => {
    const event = new Event('beforeunload', { cancelable: true });
    window.dispatchEvent(event);
    return event.defaultPrevented;
  };
  let store = () => {};
  storing = new Promise((resolve) => (store = resolve));
  await screen.findByRole('grid', undefined, slow);
  expect(closing()).toBe(false);
  screen.getAllByRole('gridcell')[2]?.focus();
  await user.keyboard('4{Enter}');
  expect(closing()).toBe(true);
  store();
  await screen.findByText('Saved');
  expect(closing()).toBe(false);
});
