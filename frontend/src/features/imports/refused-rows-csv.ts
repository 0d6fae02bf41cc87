import type { Client } from '@urql/core';
import { toCsv } from '@/lib/csv';
import { fileName } from '@/lib/file-name';
import { refusedCellsQuery, type RefusedCells } from './queries';

const PAGE = 100;

/** Columns that the download adds to those of the file. Imports ignore columns with these headings. */
export const REFUSED_HEADINGS = ['Refused row', 'Refused because'] as const;

/** Loads all refused rows with their cells, page by page, in file order. */
export async function loadRefusedCells(client: Client, uploadLog: string): Promise<RefusedCells[]> {
  const rows: RefusedCells[] = [];
  for (;;) {
    const page = {
      sort: [{ key: 'rowNumber', direction: 'asc' as const }],
      limit: PAGE,
      offset: rows.length,
    };
    // Sequential: a next page exists only if this one is full.
    const { data, error } = await client
      .query(refusedCellsQuery, { uploadLog, page }, { requestPolicy: 'network-only' })
      .toPromise();
    if (error) throw error;
    const found = data?.uploadRows ?? [];
    rows.push(...found);
    if (found.length < PAGE) return rows;
  }
}

/** Returns the cells of a row with its corrections applied. */
function corrected({ cells, corrections }: RefusedCells): string[] {
  const after = [...cells];
  for (const { column, value } of corrections) after[column] = value;
  return after;
}

const reason = ({ column, text }: RefusedCells['messages'][number]) =>
  column ? `${column}: ${text}` : text;

/**
 * Creates a CSV of refused rows with corrections and reasons, to be fixed and imported again. A row too long to store
 * has only its number and reasons.
 */
export function refusedRowsCsv(headings: readonly string[], rows: readonly RefusedCells[]): string {
  // A row can have more cells than there are headings; cutting them would hide the problem.
  const width = Math.max(headings.length, ...rows.map(({ cells }) => cells.length));
  const filled = (cells: readonly string[]) => Array.from({ length: width }, (_, at) => cells[at] ?? '');
  return toCsv([
    [...filled(headings), ...REFUSED_HEADINGS],
    ...rows.map((row) => [
      ...filled(corrected(row)),
      row.sheet === null ? String(row.sheetRow) : `${row.sheet} ${row.sheetRow}`,
      row.messages.map(reason).join(' '),
    ]),
  ]);
}

export function refusedFilename(filename: string): string {
  return `${fileName(filename.replace(/\.[^.]*$/, ''), 'refused-rows')}.csv`;
}
