import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { EditGrid, type GridColumn, type Place } from '@/ui/edit-grid';
import type { RowWindows } from '@/data/row-windows';
import { toast } from '@/ui/toast';
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
        labelOf: ({ sheetRow }) => t('correct.cell', { column: heading, row: sheetRow }),
      })),
    [headings, typed, t],
  );
  const names = useMemo(
    () => ({
      header: t('refused.columns.row'),
      render: (row: GridRow) => (
        <RowName row={row} messages={messagesOf(row, headings).ofRow} isTall={hasMessages} />
      ),
    }),
    [headings, hasMessages, t],
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
      onPasteFailed={() => toast.error(t('correct.pasteFailed'))}
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

interface RowNameProps {
  row: GridRow;
  messages: readonly string[];
  /** Whether there is room for messages. If not, they are shown on hover. */
  isTall: boolean;
}

function RowName({ row, messages, isTall }: RowNameProps) {
  const { t } = useTranslation('imports');
  const { sheetRow, sheet, cells, result } = row;
  const texts = cells.length === 0 ? [...messages, t('correct.tooLong')] : messages;
  return (
    <>
      <span
        className="flex min-h-6 items-center justify-between gap-2"
        data-tip={!isTall && texts.length > 0 ? texts.join(' ') : undefined}
      >
        <span className="shrink-0 tabular-nums">{t('refused.row', { row: sheetRow })}</span>
        {sheet && <span className="min-w-0 flex-1 truncate text-xs text-muted">{sheet}</span>}
        {result && <RowResultTag result={result} />}
      </span>
      {texts.length > 0 && (
        <span
          className={
            isTall ? `line-clamp-2 text-xs wrap-anywhere ${messages.length > 0 ? 'text-bad' : 'text-muted'}` : 'sr-only'
          }
        >
          {texts.join(' ')}
        </span>
      )}
    </>
  );
}
