import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type CombinedError, useMutation } from 'urql';
import { isPassing, normalizeError } from '@/data/errors';
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

/**
 * Shows the server's reason for a refusal, or a fixed text for other failures. Returns whether a retry may succeed; until
 * then, it is not known whether the server has stored anything.
 */
function sayWhy(error: CombinedError): boolean {
  const failed = normalizeError(error);
  toast.error(failed.detail ?? failed.message);
  return isPassing(failed);
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
 * Sends typed cells in the order they were edited. Edits made during a request are sent together in the next one. After
 * a passing failure, edits wait until the user edits or retries. `onSaved` is called when the server has or may have
 * stored corrections.
 */
function useSending(uploadLog: string, onSaved: () => void) {
  const [, save] = useMutation(correctUploadRowsMutation);
  const [typed, setTyped] = useState<ReadonlyMap<string, string>>(new Map());
  const [saving, setSaving] = useState(false);
  /** Whether a passing failure left edits that must be sent again. */
  const [isUnsaved, setUnsaved] = useState(false);
  useUnloadWarning(saving || isUnsaved);
  const waiting = useRef(new Map<string, CellEdit>());
  const running = useRef<Promise<boolean>>(undefined);

  const flush = useCallback(async () => {
    let saved = true;
    let isStored = false;
    let mustWait = false;
    setSaving(true);
    while (waiting.current.size > 0 && !mustWait) {
      const cells = [...waiting.current.values()].slice(0, MOST);
      for (const cell of cells) waiting.current.delete(keyOf(cell));
      const { error } = await save({ input: { uploadLog, cells } });
      mustWait = error !== undefined && sayWhy(error);
      if (!error || mustWait) isStored = true;
      if (!error) continue;
      saved = false;
      if (mustWait) {
        // Send them again, because storing a value twice is harmless. Newer values of the same cells take precedence.
        waiting.current = new Map([...cells.map((cell) => [keyOf(cell), cell] as const), ...waiting.current]);
      } else {
        // Revert the cells to their saved values.
        setTyped((before) => {
          const after = new Map(before);
          for (const cell of cells) if (after.get(keyOf(cell)) === cell.value) after.delete(keyOf(cell));
          return after;
        });
      }
    }
    setSaving(false);
    setUnsaved(mustWait);
    running.current = undefined;
    if (isStored) onSaved();
    return saved;
  }, [save, uploadLog, onSaved]);

  /** Sends the edits that wait after a failure. Resolves when all edits were sent: true if all of them were saved. */
  const settled = useCallback(() => {
    if (waiting.current.size > 0 && !running.current) running.current = flush();
    return running.current ?? Promise.resolve(true);
  }, [flush]);

  const correct = useCallback(
    (edits: readonly CellEdit[]) => {
      setTyped((before) => new Map([...before, ...edits.map((edit) => [keyOf(edit), edit.value] as const)]));
      for (const edit of edits) waiting.current.set(keyOf(edit), edit);
      return settled();
    },
    [settled],
  );

  return { typed, setTyped, saving, isUnsaved, waiting, settled, correct };
}

/** Saves corrected cells as they are typed, and replaces values in a column of all rows. */
export function useCorrections(uploadLog: string, onSaved?: () => void) {
  const [, replace] = useMutation(replaceInUploadColumnMutation);
  const callback = useRef(onSaved);
  const onStored = useCallback(() => callback.current?.(), []);
  const { typed, setTyped, saving, isUnsaved, waiting, settled, correct } = useSending(uploadLog, onStored);
  const latest = useRef(typed);
  useEffect(() => {
    callback.current = onSaved;
    latest.current = typed;
  });

  /**
   * Returns how many cells were changed, or, in a dry run, would be changed; undefined on failure. Load the rows again
   * even then: without an answer, the server may have changed them.
   */
  const replaceAll = useCallback(
    async (what: Omit<Alike, 'count'> & { wholeCell: boolean; dryRun?: boolean }) => {
      await settled();
      // The server does not have these edits yet, and would replace other values.
      if (waiting.current.size > 0) return undefined;
      const before = latest.current;
      const { data, error } = await replace({ input: { uploadLog, ...what } });
      if (what.dryRun) return data?.replaceInUploadColumn.changed;
      const mayBeStored = error ? sayWhy(error) : true;
      if (mayBeStored) {
        // The rows are loaded again. What was typed meanwhile may not be saved yet.
        setTyped((now) => new Map([...now].filter(([key, value]) => before.get(key) !== value)));
        onStored();
      }
      return data?.replaceInUploadColumn.changed;
    },
    [replace, settled, uploadLog, onStored, setTyped, waiting],
  );

  return useMemo(
    () => ({ typed, saving, isUnsaved, settled, correct, replaceAll }),
    [typed, saving, isUnsaved, settled, correct, replaceAll],
  );
}

export type Corrections = ReturnType<typeof useCorrections>;
