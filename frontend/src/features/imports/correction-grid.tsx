import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { EditGrid, type GridColumn, type Place } from '@/ui/edit-grid';
import type { CorrectableRow } from './queries';
import { type CellEdit, columnOf, valueOf } from './use-corrections';

interface CorrectionGridProps {
  labelledBy: string;
  headings: readonly string[];
  rows: readonly CorrectableRow[];
  /** The number of all refused rows, and how many of them come before this window. */
  total: number;
  offset: number;
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

/** Groups the messages of a row by column. */
function messagesOf({ messages }: CorrectableRow, headings: readonly string[]): RowMessages {
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

/** Grid of refused rows with messages at invalid cells. */
export function CorrectionGrid(props: CorrectionGridProps) {
  const { headings, rows, typed, onCorrect, ...grid } = props;
  const { t } = useTranslation('imports');
  const messages = useMemo(
    () => new Map(rows.map((row) => [row.rowNumber, messagesOf(row, headings)])),
    [rows, headings],
  );
  const columns = headings.map((heading, at): GridColumn<CorrectableRow> => ({
    id: String(at),
    header: heading || t('correct.noHeading', { column: at + 1 }),
    valueOf: (row) => valueOf(row, at, typed),
    originalOf: ({ cells }) => cells[at] ?? '',
    messagesOf: ({ rowNumber }) => messages.get(rowNumber)?.ofColumn.get(at) ?? none,
    labelOf: ({ sheetRow }) => t('correct.cell', { column: heading, row: sheetRow }),
  }));
  return (
    <EditGrid
      {...grid}
      columns={columns}
      names={{
        header: t('refused.columns.row'),
        render: ({ rowNumber, sheetRow, sheet, cells }) => (
          <>
            <span className="tabular-nums">{t('refused.row', { row: sheetRow })}</span>
            {sheet && <span className="block text-xs text-muted wrap-anywhere">{sheet}</span>}
            {messages.get(rowNumber)?.ofRow.map((text) => (
              <span key={text} className="mt-0.5 block text-xs text-bad wrap-anywhere">
                {text}
              </span>
            ))}
            {cells.length === 0 && <span className="mt-0.5 block text-xs text-muted">{t('correct.tooLong')}</span>}
          </>
        ),
      }}
      rows={rows}
      rowKey={({ rowNumber }) => String(rowNumber)}
      isLocked={({ cells }) => cells.length === 0}
      editedNote={(before) => t('correct.corrected', { before })}
      onEdit={(edits) =>
        onCorrect(edits.map(({ row: { rowNumber }, column, value }) => ({ rowNumber, column, value })))
      }
    />
  );
}
