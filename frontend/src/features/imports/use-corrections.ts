import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type CombinedError, useMutation } from 'urql';
import { normalizeError } from '@/data/errors';
import { toast } from '@/ui/toast';
import { useUnloadWarning } from '@/ui/use-unload-warning';
import { correctUploadRowsMutation, type GridRow, replaceInUploadColumnMutation } from './queries';

export interface CellEdit {
  rowNumber: number;
  column: number;
  value: string;
}

/** Other cells in the column of a corrected cell that have its old value. */
export interface Alike {
  column: number;
  find: string;
  value: string;
  count: number;
}

/** Maximum number of cells per request. */
const MOST = 1000;

const keyOf = ({ rowNumber, column }: Omit<CellEdit, 'value'>) => `${rowNumber}:${column}`;

/** Shows the server's reason for a refusal, or a fixed text for other failures. */
function sayWhy(error: CombinedError) {
  const { detail, message } = normalizeError(error);
  toast.error(detail ?? message);
}

/** Returns the column of the file that a message is about, from 0; undefined if it is about the whole row. */
export function columnOf(
  { column, columnIndex }: GridRow['messages'][number],
  headings: readonly string[],
): number | undefined {
  if (typeof columnIndex === 'number') return columnIndex;
  // Rows refused before an upgrade have only the heading, and two columns can have the same heading.
  const at = column === null ? -1 : headings.indexOf(column);
  return at >= 0 && at === headings.lastIndexOf(column ?? '') ? at : undefined;
}

/** The current value of a cell: the unsaved edit, else the correction, else the value in the file. */
export function valueOf(row: GridRow, column: number, typed: ReadonlyMap<string, string>): string {
  const here = typed.get(keyOf({ rowNumber: row.rowNumber, column }));
  const before = row.corrections.find((it) => it.column === column)?.value;
  return here ?? before ?? row.cells[column] ?? '';
}

/**
 * Saves corrected cells in the order they were edited. Edits made during a request are sent together in the next one.
 */
export function useCorrections(uploadLog: string) {
  const [, save] = useMutation(correctUploadRowsMutation);
  const [, replace] = useMutation(replaceInUploadColumnMutation);
  const [typed, setTyped] = useState<ReadonlyMap<string, string>>(new Map());
  const [saving, setSaving] = useState(false);
  useUnloadWarning(saving);
  const waiting = useRef(new Map<string, CellEdit>());
  const running = useRef<Promise<boolean>>(undefined);
  const latest = useRef(typed);
  useEffect(() => {
    latest.current = typed;
  });

  const flush = useCallback(async () => {
    let saved = true;
    setSaving(true);
    while (waiting.current.size > 0) {
      const cells = [...waiting.current.values()].slice(0, MOST);
      for (const cell of cells) waiting.current.delete(keyOf(cell));
      const { error } = await save({ input: { uploadLog, cells } });
      if (!error) continue;
      saved = false;
      sayWhy(error);
      // Revert the cells to their saved values.
      setTyped((before) => {
        const after = new Map(before);
        for (const cell of cells) if (after.get(keyOf(cell)) === cell.value) after.delete(keyOf(cell));
        return after;
      });
    }
    setSaving(false);
    running.current = undefined;
    return saved;
  }, [save, uploadLog]);

  /** Resolves when all edits so far have been sent: true if all of them were saved. */
  const settled = useCallback(() => running.current ?? Promise.resolve(true), []);

  const correct = useCallback(
    (edits: readonly CellEdit[]) => {
      setTyped((before) => new Map([...before, ...edits.map((edit) => [keyOf(edit), edit.value] as const)]));
      for (const edit of edits) waiting.current.set(keyOf(edit), edit);
      const saved = running.current ?? flush();
      running.current = saved;
      return saved;
    },
    [flush],
  );

  /** Returns how many cells were changed, or, in a dry run, would be changed; undefined on failure. */
  const replaceAll = useCallback(
    async (what: Omit<Alike, 'count'> & { wholeCell: boolean; dryRun?: boolean }) => {
      await settled();
      const before = latest.current;
      const { data, error } = await replace({ input: { uploadLog, ...what } });
      if (error && !what.dryRun) sayWhy(error);
      if (data && !what.dryRun) {
        // The rows are loaded again. What was typed meanwhile may not be saved yet.
        setTyped((now) => new Map([...now].filter(([key, value]) => before.get(key) !== value)));
      }
      return data?.replaceInUploadColumn.changed;
    },
    [replace, settled, uploadLog],
  );

  return useMemo(
    () => ({ typed, saving, settled, correct, replaceAll }),
    [typed, saving, settled, correct, replaceAll],
  );
}

export type Corrections = ReturnType<typeof useCorrections>;
