import { useCallback, useMemo, useRef, useState } from 'react';
import { type CombinedError, useMutation } from 'urql';
import { normalizeError } from '@/data/errors';
import { toast } from '@/ui/toast';
import { type CorrectableRow, correctUploadRowsMutation, replaceInUploadColumnMutation } from './queries';

export interface CellEdit {
  rowNumber: number;
  column: number;
  value: string;
}

/** Cells of the same column that read as one did before it was corrected. */
export interface Alike {
  column: number;
  find: string;
  value: string;
  count: number;
}

/** Most cells that the server takes at once. */
const MOST = 1000;

const keyOf = ({ rowNumber, column }: Omit<CellEdit, 'value'>) => `${rowNumber}:${column}`;

/** What was refused says why; other failures have a fixed text. */
function sayWhy(error: CombinedError) {
  const { detail, message } = normalizeError(error);
  toast.error(detail ?? message);
}

/** What a cell holds now: as it was typed here, as it was corrected before, as the file has it. */
export function valueOf(row: CorrectableRow, column: number, typed: ReadonlyMap<string, string>): string {
  const here = typed.get(keyOf({ rowNumber: row.rowNumber, column }));
  const before = row.corrections.find((it) => it.column === column)?.value;
  return here ?? before ?? row.cells[column] ?? '';
}

/** Saves corrected cells as they are typed, in order, and several at once while one request is under way. */
export function useCorrections(uploadLog: string) {
  const [, save] = useMutation(correctUploadRowsMutation);
  const [, replace] = useMutation(replaceInUploadColumnMutation);
  const [typed, setTyped] = useState<ReadonlyMap<string, string>>(new Map());
  const [saving, setSaving] = useState(false);
  const waiting = useRef(new Map<string, CellEdit>());
  const running = useRef<Promise<boolean>>(undefined);

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
      // The cells show again what is kept of them.
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

  /** Answers whether all that was typed so far is saved. */
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

  /** How many cells were or would be changed; nothing when that failed. */
  const replaceAll = useCallback(
    async (what: Omit<Alike, 'count'> & { wholeCell: boolean; dryRun?: boolean }) => {
      await settled();
      const { data, error } = await replace({ input: { uploadLog, ...what } });
      if (error && !what.dryRun) sayWhy(error);
      if (data && !what.dryRun) setTyped(new Map());
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
