import type { Client } from '@urql/core';
import { toCsv } from '@/lib/csv';
import { uploadRowsQuery, type RefusedRow } from './queries';

const PAGE = 100;

/** All refused rows of an import, page by page, in the order of the file. */
export async function loadRefusedRows(client: Client, uploadLog: string): Promise<RefusedRow[]> {
  const rows: RefusedRow[] = [];
  for (;;) {
    const page = {
      sort: [{ key: 'rowNumber', direction: 'asc' as const }],
      limit: PAGE,
      offset: rows.length,
    };
    // One after the other: the next page is known only when this one was full.
    const { data, error } = await client
      .query(uploadRowsQuery, { uploadLog, page }, { requestPolicy: 'network-only' })
      .toPromise();
    if (error) throw error;
    const found = data?.uploadRows ?? [];
    rows.push(...found);
    if (found.length < PAGE) return rows;
  }
}

export function refusedRowsCsv(header: readonly string[], rows: readonly RefusedRow[]): string {
  return toCsv([
    header,
    ...rows.flatMap(({ rowNumber, deliveryId, messages }) =>
      messages.map(({ column, code, text }) => [
        String(rowNumber),
        deliveryId ?? '',
        column ?? '',
        code,
        text,
      ]),
    ),
  ]);
}

export function refusedFilename(filename: string): string {
  return `${filename.replace(/\.[^.]*$/, '')}-refused-rows.csv`;
}
