import { type ClipboardEvent, type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { cn } from '@/ui/cn';
import type { CorrectableRow } from '../queries';
import { type CellEdit, valueOf } from '../use-corrections';

export interface Place {
  row: number;
  column: number;
}

interface CorrectionGridProps {
  labelledBy: string;
  headings: readonly string[];
  rows: readonly CorrectableRow[];
  /** Of all refused rows, and how many come before these. */
  total: number;
  offset: number;
  typed: ReadonlyMap<string, string>;
  at: Place;
  onMove: (at: Place) => void;
  onCorrect: (edits: CellEdit[]) => void;
}

const FIRST = 220;
const WIDTH = 168;
const headCell = 'truncate px-3 py-2 text-xs font-medium text-muted';

/** The messages of a row by column; those of no column of the file are of the whole row. */
function messagesOf({ messages }: CorrectableRow, headings: readonly string[]) {
  const ofColumn = new Map<number, string[]>();
  const ofRow: string[] = [];
  for (const { column, text } of messages) {
    const index = column === null ? -1 : headings.indexOf(column);
    if (index < 0) ofRow.push(column ? `${column}: ${text}` : text);
    else ofColumn.set(index, [...(ofColumn.get(index) ?? []), text]);
  }
  return { ofColumn, ofRow };
}

/** Whether a key types something, so that it starts a new value as in a spreadsheet. */
const types = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent) =>
  key.length === 1 && !ctrlKey && !metaKey && !altKey;

/** Refused rows with a message at each cell that is wrong. Cells are edited in place, by keys as in a spreadsheet. */
export function CorrectionGrid(props: CorrectionGridProps) {
  const { labelledBy, headings, rows, total, offset, typed, at, onMove, onCorrect } = props;
  const { t } = useTranslation('imports');
  const grid = useRef<HTMLDivElement>(null);
  // Focus follows the keys only, so that a page that loads does not take it.
  const follows = useRef(false);
  const [draft, setDraft] = useState<string>();
  const messages = useMemo(() => rows.map((row) => messagesOf(row, headings)), [rows, headings]);
  const template = {
    gridTemplateColumns: `${FIRST}px repeat(${headings.length}, minmax(${WIDTH}px, 1fr))`,
    minWidth: FIRST + headings.length * WIDTH,
  };
  const lastRow = rows.length - 1;
  const row = Math.min(at.row, lastRow);
  const column = Math.min(at.column, headings.length - 1);

  useEffect(() => {
    if (!follows.current || draft !== undefined) return;
    follows.current = false;
    const cell = grid.current?.querySelector<HTMLElement>(`[data-place="${row}:${column}"]`);
    cell?.focus();
    cell?.scrollIntoView?.({ block: 'nearest', inline: 'nearest' });
  }, [row, column, draft]);

  function move(down: number, right: number) {
    const clamp = (value: number, last: number) => Math.max(0, Math.min(value, last));
    follows.current = true;
    onMove({ row: clamp(row + down, lastRow), column: clamp(column + right, headings.length - 1) });
  }

  function edit(text: string) {
    if (rows[row]?.cells.length) setDraft(text);
  }

  /** Ends the editing; the cell keeps what it had when there is nothing to save. */
  function end(value: string | undefined, down = 0, right = 0) {
    const found = rows[row];
    if (found && value !== undefined && value !== valueOf(found, column, typed)) {
      onCorrect([{ rowNumber: found.rowNumber, column, value }]);
    }
    setDraft(undefined);
    move(down, right);
  }

  function onKeys(event: KeyboardEvent) {
    const { key, ctrlKey, metaKey, shiftKey } = event;
    const whole = ctrlKey || metaKey;
    const steps: Record<string, () => void> =
      draft === undefined
        ? {
            ArrowUp: () => move(whole ? -rows.length : -1, 0),
            ArrowDown: () => move(whole ? rows.length : 1, 0),
            ArrowLeft: () => move(0, whole ? -headings.length : -1),
            ArrowRight: () => move(0, whole ? headings.length : 1),
            Home: () => move(whole ? -rows.length : 0, -headings.length),
            End: () => move(whole ? rows.length : 0, headings.length),
            Enter: () => edit(here),
            F2: () => edit(here),
            Delete: () => end(''),
            Backspace: () => end(''),
          }
        : {
            Enter: () => end(draft, shiftKey ? -1 : 1),
            Tab: () => end(draft, 0, shiftKey ? -1 : 1),
            Escape: () => end(undefined),
          };
    const step = steps[key];
    if (step) {
      event.preventDefault();
      step();
    } else if (draft === undefined && types(event)) {
      event.preventDefault();
      edit(key);
    }
  }

  /** Cells that a spreadsheet copied go where the focus is and to the right and below. */
  function onPaste(event: ClipboardEvent) {
    if (draft !== undefined) return;
    event.preventDefault();
    const lines = event.clipboardData.getData('text/plain').replace(/\r?\n$/, '').split(/\r?\n/);
    const edits = lines.flatMap((line, down) =>
      line.split('\t').flatMap((value, right): CellEdit[] => {
        const target = rows[row + down];
        const isCell = target?.cells.length && column + right < headings.length;
        return isCell ? [{ rowNumber: target.rowNumber, column: column + right, value }] : [];
      }),
    );
    if (edits.length > 0) onCorrect(edits);
  }

  const current = rows[row];
  const here = current ? valueOf(current, column, typed) : '';

  return (
    <div
      ref={grid}
      role="grid"
      tabIndex={-1}
      aria-labelledby={labelledBy}
      aria-rowcount={total + 1}
      aria-colcount={headings.length + 1}
      className="max-h-[70vh] overflow-auto text-sm"
      onKeyDown={onKeys}
      onPaste={onPaste}
      onCopy={(event) => {
        if (draft !== undefined) return;
        event.preventDefault();
        event.clipboardData.setData('text/plain', here);
      }}
    >
      <div role="row" aria-rowindex={1} className="sticky top-0 z-2 grid bg-raised" style={template}>
        <span role="columnheader" className={cn(headCell, 'sticky start-0 bg-raised')}>
          {t('refused.columns.row')}
        </span>
        {headings.map((heading, index) => (
          <span key={index} role="columnheader" className={headCell} data-tip-cut>
            {heading || t('correct.noHeading', { column: index + 1 })}
          </span>
        ))}
      </div>
      {rows.map((it, index) => (
        <div
          key={it.rowNumber}
          role="row"
          aria-rowindex={offset + index + 2}
          className="grid border-t border-line bg-surface"
          style={template}
        >
          <div role="rowheader" className="sticky start-0 z-1 bg-inherit px-3 py-2">
            <span className="tabular-nums">{t('refused.row', { row: it.rowNumber })}</span>
            {messages[index]?.ofRow.map((text) => (
              <span key={text} className="mt-0.5 block text-xs text-bad wrap-anywhere">
                {text}
              </span>
            ))}
            {it.cells.length === 0 && (
              <span className="mt-0.5 block text-xs text-muted">{t('correct.tooLong')}</span>
            )}
          </div>
          {headings.map((heading, place) => {
            const isHere = index === row && place === column;
            return (
              <GridCell
                key={place}
                place={`${index}:${place}`}
                value={valueOf(it, place, typed)}
                kept={it.cells[place] ?? ''}
                messages={messages[index]?.ofColumn.get(place) ?? none}
                isHere={isHere}
                draft={isHere ? draft : undefined}
                label={t('correct.cell', { column: heading, row: it.rowNumber })}
                onFocus={() => {
                  if (!isHere) onMove({ row: index, column: place });
                }}
                onEdit={() => edit(here)}
                onDraft={setDraft}
                onLeave={() => {
                  if (draft === undefined) return;
                  if (draft !== here) onCorrect([{ rowNumber: it.rowNumber, column: place, value: draft }]);
                  setDraft(undefined);
                }}
              />
            );
          })}
        </div>
      ))}
    </div>
  );
}

const none: readonly string[] = [];

interface GridCellProps {
  place: string;
  value: string;
  /** As the file has it. */
  kept: string;
  messages: readonly string[];
  isHere: boolean;
  /** What is being typed. */
  draft: string | undefined;
  label: string;
  onFocus: () => void;
  onEdit: () => void;
  onDraft: (text: string) => void;
  onLeave: () => void;
}

/** Behind what is there, so that typing goes on. */
function takeFocus(input: HTMLInputElement | null) {
  input?.focus();
  input?.setSelectionRange(input.value.length, input.value.length);
}

function GridCell(props: GridCellProps) {
  const { place, value, kept, messages, isHere, draft, label } = props;
  const { t } = useTranslation('imports');
  const corrected = value !== kept;
  const wrong = messages.length > 0 && !corrected;
  return (
    <div
      role="gridcell"
      data-place={place}
      tabIndex={isHere && draft === undefined ? 0 : -1}
      aria-invalid={wrong || undefined}
      className={cn(
        'min-w-0 border-s border-line px-3 py-2 wrap-anywhere focus-visible:-outline-offset-2',
        corrected ? 'bg-accent-soft' : wrong && 'bg-bad-soft',
      )}
      onFocus={props.onFocus}
      onDoubleClick={props.onEdit}
    >
      {draft === undefined ? (
        <span dir="auto">{value}</span>
      ) : (
        <input
          ref={takeFocus}
          aria-label={label}
          aria-invalid={wrong || undefined}
          dir="auto"
          className="w-full min-w-0 bg-transparent outline-none"
          value={draft}
          onChange={({ target }) => props.onDraft(target.value)}
          onBlur={props.onLeave}
        />
      )}
      {messages.map((text) => (
        <span key={text} className={cn('mt-0.5 block text-xs', wrong ? 'text-bad' : 'text-muted')}>
          {text}
        </span>
      ))}
      {corrected && <span className="sr-only">{t('correct.corrected', { before: kept })}</span>}
    </div>
  );
}
