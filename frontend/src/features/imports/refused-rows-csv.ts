import type { Client } from '@urql/core';
import { UNCACHED } from '@/data/client';
import { toCsv } from '@/lib/csv';
import { fileName } from '@/lib/file-name';
import { refusedCellsQuery, type RefusedCells, type UploadLog } from './queries';

const PAGE = 100;

/** Columns that the download adds to those of the file. Imports ignore columns with these headings. */
const REFUSED_HEADINGS = ['Refused row', 'Refused because'] as const;

interface Loading {
  signal: AbortSignal;
  /** Called after each page with the number of rows so far, and of all. */
  onProgress: (loaded: number, total: number) => void;
}

/**
 * Loads all refused rows with their cells, page by page, in file order. Returns undefined when aborted, or if the rows
 * changed meanwhile: rows that are imported leave the list, so others would be missing.
 */
export async function loadRefusedCells(
  client: Client,
  uploadLog: string,
  { signal, onProgress }: Loading,
): Promise<RefusedCells[] | undefined> {
  const rows: RefusedCells[] = [];
  let before: string | undefined;
  while (!signal.aborted) {
    const page = {
      sort: [{ key: 'rowNumber', direction: 'asc' as const }],
      limit: PAGE,
      offset: rows.length,
    };
    // Sequential: a next page exists only if this one is full.
    const { data, error } = await client.query(refusedCellsQuery, { uploadLog, page }, UNCACHED).toPromise();
    if (error) throw error;
    if (!data?.uploadLog) return undefined;
    const { uploadRows: found, uploadRowsCount: count, uploadLog: log } = data;
    const now = JSON.stringify([log, count]);
    if (before !== undefined && now !== before) return undefined;
    before = now;
    rows.push(...found);
    onProgress(rows.length, log.rowsFailed);
    if (found.length < PAGE) return count.exact && count.total !== rows.length ? undefined : rows;
  }
  return undefined;
}

/**
 * Returns the cells of a row with its corrections applied. A row without cells keeps its Delivery Doc, so that the other
 * rows of its document are still refused with it.
 */
function cellsOf({ cells, corrections, deliveryId }: RefusedCells, documentColumn: number | null): string[] {
  const after = [...cells];
  if (cells.length === 0 && documentColumn !== null && deliveryId !== null) after[documentColumn] = deliveryId;
  for (const { column, value } of corrections) after[column] = value;
  return after;
}

const reason = ({ column, text }: RefusedCells['messages'][number]) =>
  column ? `${column}: ${text}` : text;

/**
 * Creates a CSV of refused rows with corrections and reasons, to be fixed and imported again. A row too long to store
 * has only its number, its reasons and its Delivery Doc.
 */
export function refusedRowsCsv(
  { headings, documentColumn }: Pick<UploadLog, 'headings' | 'documentColumn'>,
  rows: readonly RefusedCells[],
): string {
  // A row can have more cells than there are headings; cutting them would hide the problem.
  const width = Math.max(headings.length, ...rows.map(({ cells }) => cells.length));
  const filled = (cells: readonly string[]) => Array.from({ length: width }, (_, at) => cells[at] ?? '');
  return toCsv([
    [...filled(headings), ...REFUSED_HEADINGS],
    ...rows.map((row) => [
      ...filled(cellsOf(row, documentColumn)),
      row.sheet === null ? String(row.sheetRow) : `${row.sheet} ${row.sheetRow}`,
      row.messages.map(reason).join(' '),
    ]),
  ]);
}

export function refusedFilename(filename: string): string {
  return `${fileName(filename.replace(/\.[^.]*$/, ''), 'refused-rows')}.csv`;
}
