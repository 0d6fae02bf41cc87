import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { EditGrid, type GridColumn, type Place } from '@/ui/edit-grid';
import type { RowWindows } from '@/data/row-windows';
import type { GridRow } from './queries';
import { RowResultTag } from './row-result';
import { type CellEdit, columnOf, valueOf } from './use-corrections';

/** Height of rows in pixels. Messages need room for two lines. */
export const heightOf = (hasMessages: boolean) => (hasMessages ? 68 : 36);

interface CorrectionGridProps {
  labelledBy: string;
  headings: readonly string[];
  windows: RowWindows<GridRow>;
  /** Number of all rows. */
  total: number;
  /** Whether rows may have messages, for which they need room. */
  hasMessages: boolean;
  isReadOnly: boolean;
  typed: ReadonlyMap<string, string>;
  at: Place;
  onMove: (at: Place) => void;
  onCorrect: (edits: CellEdit[]) => void;
}

interface RowMessages {
  ofColumn: ReadonlyMap<number, readonly string[]>;
  /** Messages about the whole row, or about a column that the file lacks. */
  ofRow: readonly string[];
}

const known = new WeakMap<GridRow, RowMessages>();

/** Groups the messages of a row by column, once. The headings of its file never change. */
export function messagesOf(row: GridRow, headings: readonly string[]): RowMessages {
  const grouped = known.get(row) ?? group(row, headings);
  known.set(row, grouped);
  return grouped;
}

function group({ messages }: GridRow, headings: readonly string[]): RowMessages {
  const ofColumn = new Map<number, string[]>();
  const ofRow: string[] = [];
  for (const message of messages) {
    const { column, text } = message;
    const at = columnOf(message, headings);
    if (at === undefined) ofRow.push(column ? `${column}: ${text}` : text);
    else ofColumn.set(at, [...(ofColumn.get(at) ?? []), text]);
  }
  return { ofColumn, ofRow };
}

const none: readonly string[] = [];

/** Grid of rows with messages at invalid cells. */
export function CorrectionGrid(props: CorrectionGridProps) {
  const { labelledBy, headings, windows, total, hasMessages, isReadOnly, typed, at, onMove, onCorrect } = props;
  const { t } = useTranslation('imports');
  const columns = useMemo(
    () =>
      headings.map((heading, place): GridColumn<GridRow> => ({
        id: String(place),
        header: heading || t('correct.noHeading', { column: place + 1 }),
        valueOf: (row) => valueOf(row, place, typed),
        originalOf: ({ cells }) => cells[place] ?? '',
        messagesOf: (row) => messagesOf(row, headings).ofColumn.get(place) ?? none,
        labelOf: ({ rowNumber }) => t('correct.cell', { column: heading, row: rowNumber }),
      })),
    [headings, typed, t],
  );
  const names = useMemo(
    () => ({
      header: t('refused.columns.row'),
      render: (row: GridRow) => <RowName row={row} messages={messagesOf(row, headings).ofRow} />,
    }),
    [headings, t],
  );
  return (
    <EditGrid
      labelledBy={labelledBy}
      columns={columns}
      names={names}
      total={total}
      rowAt={windows.rowAt}
      rowHeight={heightOf(hasMessages)}
      onView={windows.view}
      rowsBetween={windows.rowsBetween}
      isLocked={useCallback(({ cells }: GridRow) => isReadOnly || cells.length === 0, [isReadOnly])}
      editedNote={useCallback((before: string) => t('correct.corrected', { before }), [t])}
      at={at}
      onMove={onMove}
      onEdit={(edits) =>
        onCorrect(edits.map(({ row: { rowNumber }, column, value }) => ({ rowNumber, column, value })))
      }
    />
  );
}

function RowName({ row, messages }: { row: GridRow; messages: readonly string[] }) {
  const { t } = useTranslation('imports');
  const { rowNumber, cells, result } = row;
  return (
    <>
      <span className="flex items-center justify-between gap-2">
        <span className="tabular-nums">{t('refused.row', { row: rowNumber })}</span>
        {result && <RowResultTag result={result} />}
      </span>
      {messages.length > 0 && (
        <span className="block text-xs text-bad [overflow-wrap:anywhere]">{messages.join(' ')}</span>
      )}
      {cells.length === 0 && <span className="block text-xs text-muted">{t('correct.tooLong')}</span>}
    </>
  );
}
