import type { Client } from '@urql/core';
import { toCsv } from '@/lib/csv';
import { fileName } from '@/lib/file-name';
import { refusedCellsQuery, type RefusedCells } from './queries';

const PAGE = 100;

/** What the download adds to the columns of the file. An import knows these headings and skips them. */
export const REFUSED_HEADINGS = ['Refused row', 'Refused because'] as const;

/** All refused rows of an import with their cells, page by page, in the order of the file. */
export async function loadRefusedCells(client: Client, uploadLog: string): Promise<RefusedCells[]> {
  const rows: RefusedCells[] = [];
  for (;;) {
    const page = {
      sort: [{ key: 'rowNumber', direction: 'asc' as const }],
      limit: PAGE,
      offset: rows.length,
    };
    // One after the other: the next page is known only when this one was full.
    const { data, error } = await client
      .query(refusedCellsQuery, { uploadLog, page }, { requestPolicy: 'network-only' })
      .toPromise();
    if (error) throw error;
    const found = data?.uploadRows ?? [];
    rows.push(...found);
    if (found.length < PAGE) return rows;
  }
}

/** A row with what was corrected in the place of what the file has. */
function corrected({ cells, corrections }: RefusedCells): string[] {
  const after = [...cells];
  for (const { column, value } of corrections) after[column] = value;
  return after;
}

const reason = ({ column, text }: RefusedCells['messages'][number]) =>
  column ? `${column}: ${text}` : text;

/**
 * The refused rows with their corrections, with why: to be corrected and imported again. A row that was
 * too long to keep has its number and reasons only.
 */
export function refusedRowsCsv(headings: readonly string[], rows: readonly RefusedCells[]): string {
  // A row may have more cells than the file has headings; without them it would look correct.
  const width = Math.max(headings.length, ...rows.map(({ cells }) => cells.length));
  const filled = (cells: readonly string[]) => Array.from({ length: width }, (_, at) => cells[at] ?? '');
  return toCsv([
    [...filled(headings), ...REFUSED_HEADINGS],
    ...rows.map((row) => [
      ...filled(corrected(row)),
      String(row.rowNumber),
      row.messages.map(reason).join(' '),
    ]),
  ]);
}

export function refusedFilename(filename: string): string {
  return `${fileName(filename.replace(/\.[^.]*$/, ''), 'refused-rows')}.csv`;
}
