import type { Client } from '@urql/core';
import { expect, it, vi } from 'vitest';
import type { RefusedCells } from './queries';
import { loadRefusedCells, refusedFilename, refusedRowsCsv } from './refused-rows-csv';

const row = (rowNumber: number): RefusedCells => ({
  uploadLogId: 'u1',
  rowNumber,
  sheetRow: rowNumber,
  sheet: null,
  deliveryId: `DR-${rowNumber}`,
  cells: [`DR-${rowNumber}`, 'typo'],
  corrections: [],
  messages: [{ column: null, text: 'Wrong.' }],
});

/** A server with these refused rows, of which `each` may take some away before a page is read. */
function serverWith(rows: RefusedCells[], each: (page: number) => Record<string, unknown> = () => ({})) {
  const asked: number[] = [];
  const query = (_: unknown, { page: { limit, offset } }: { page: { limit: number; offset: number } }) => {
    const log = { id: 'u1', status: 'imported_with_errors', finishedAt: null, rowsFailed: rows.length, ...each(asked.length) };
    asked.push(offset);
    const data = {
      uploadRows: rows.slice(offset, offset + limit),
      uploadRowsCount: { total: rows.length, exact: true },
      uploadLog: log,
    };
    return { toPromise: () => Promise.resolve({ data }) };
  };
  return { client: { query } as unknown as Client, asked };
}

const many = (length: number) => Array.from({ length }, (_, at) => row(at + 2));
const loading = () => ({ signal: new AbortController().signal, onProgress: vi.fn<() => void>() });

it('loads all pages', async () => {
  const { client, asked } = serverWith(many(250));
  const options = loading();
  const rows = await loadRefusedCells(client, 'u1', options);
  expect(rows?.map(({ rowNumber }) => rowNumber)).toEqual(many(250).map(({ rowNumber }) => rowNumber));
  expect(asked).toEqual([0, 100, 200]);
  expect(options.onProgress.mock.calls).toEqual([[100, 250], [200, 250], [250, 250]]);
});

it('returns no incomplete file when rows were imported or changed meanwhile', async () => {
  const rows = many(250);
  // Without the check, rows 102 to 151 would be missing, and the short page would end the file.
  const shrinking = serverWith(rows, (page) => {
    if (page === 1) rows.splice(0, 50);
    return {};
  });
  expect(await loadRefusedCells(shrinking.client, 'u1', loading())).toBeUndefined();
  const running = serverWith(many(250), (page) => (page === 2 ? { status: 'correcting' } : {}));
  expect(await loadRefusedCells(running.client, 'u1', loading())).toBeUndefined();
});

it('asks for no further page once aborted', async () => {
  const control = new AbortController();
  const { client, asked } = serverWith(many(250), () => {
    control.abort();
    return {};
  });
  expect(await loadRefusedCells(client, 'u1', { ...loading(), signal: control.signal })).toBeUndefined();
  expect(asked).toEqual([0]);
});

it('writes files a spreadsheet can read without running them', () => {
  const corrections = [{ column: 1, value: '=HYPERLINK("x")' }];
  const messages = [{ column: null, text: 'Too many cells.' }];
  const wide = { ...row(7), cells: ['+1', 'typo', 'more'], corrections, messages };
  // The Delivery Doc still holds the other rows of its document back.
  const long = { ...row(8), sheet: 'Lines', cells: [], messages };
  // An import removes the apostrophes again.
  expect(refusedRowsCsv({ headings: ['Note', 'Doc'], documentColumn: 1 }, [wide, long])).toBe(
    '\uFEFFNote,Doc,,Refused row,Refused because\r\n' +
      '\'+1,"\'=HYPERLINK(""x"")",more,7,Too many cells.\r\n' +
      ',DR-8,,Lines 8,Too many cells.\r\n',
  );
  // Earlier releases did not note the column.
  expect(refusedRowsCsv({ headings: ['Note'], documentColumn: null }, [long])).toContain('\r\n,Lines 8,');
  expect(refusedFilename('day.1.xlsx')).toBe('day.1-refused-rows.csv');
});
