import type { OperationResult, TypedDocumentNode } from '@urql/core';
import { useCallback, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import type { FieldPath, FieldValues, UseFormReturn, UseFormSetError } from 'react-hook-form';
import { useClient } from 'urql';
import { useAuth } from '@/auth/use-auth';
import { type AppError, mayBeSaved, normalizeError } from '@/data/errors';
import { newUuid } from '@/lib/uuid';
import type { Go } from '@/routing/use-while-here';
import { useLeave } from './use-leave';

/**
 * Shows server errors at their form fields. The first gets the focus; `FieldLock` does that once a locked form can be edited
 * again.
 */
export function showFieldErrors<Values extends FieldValues>(
  failed: AppError,
  fields: readonly FieldPath<Values>[],
  setError: UseFormSetError<Values>,
): void {
  let shouldFocus = true;
  for (const field of fields) {
    const message = failed.fields[field]?.join(' ');
    if (!message) continue;
    setError(field, { type: 'server', message }, { shouldFocus });
    shouldFocus = false;
  }
}

/** A change that was saved after the record was read. */
export interface Conflict {
  by: string;
  at: string;
  version: number;
  /**
   * Whether the user made it after an attempt of the same form whose answer was lost. It is that attempt, or a change made in
   * another tab.
   */
  isOwn: boolean;
}

export interface Versioned {
  version: number;
  /** Null if the record was never changed, so there is no conflict. */
  updatedAt: string | null;
  updatedBy: string | null;
}

/**
 * Determines whether a mutation failed because the record was changed, and who changed it. The error says neither, so the
 * query reads the current version, aliased as `current`. Call it after each failed attempt, so that it knows which
 * attempts may have been saved.
 */
export function useConflict<Variables extends object>(
  document: TypedDocumentNode<{ current: Versioned | null }, Variables>,
) {
  const client = useClient();
  const username = useAuth().currentUser?.username;
  /** The version on which the last attempt without an answer was based. */
  const lost = useRef<number>(undefined);
  return useCallback(
    async (
      failed: AppError,
      variables: Variables,
      version: number,
    ): Promise<Conflict | undefined> => {
      if (mayBeSaved(failed)) lost.current = version;
      if (failed.code !== 'FAILED_PRECONDITION') return undefined;
      const { data } = await client
        .query(document, variables, { requestPolicy: 'network-only' })
        .toPromise();
      const now = data?.current;
      if (!now || now.version === version) return undefined;
      const isOwn = lost.current === version && now.updatedBy === username;
      return { by: now.updatedBy ?? '', at: now.updatedAt ?? '', version: now.version, isOwn };
    },
    [client, document, username],
  );
}

/**
 * Fills an unedited form again when a newer version of its record was loaded. Before the browser handles the next input,
 * which would be overwritten.
 */
export function useRefill(isNeeded: boolean, refill: () => void): void {
  const fill = useEffectEvent(refill);
  useLayoutEffect(() => {
    if (isNeeded) fill();
  }, [isNeeded]);
}

/**
 * Tracks the record that filled the fields, so that saving is based on its version and not on a version loaded since.
 * As long as nothing is edited, the fields follow the loaded record.
 */
export function useEditBase<Row extends { version: number }, Values extends FieldValues>(
  row: Row,
  form: UseFormReturn<Values>,
  toValues: (row: Row) => Values,
): [base: Row, setBase: (row: Row) => void] {
  const [base, setBase] = useState(row);
  const { isDirty } = form.formState;
  useRefill(!isDirty && row.version > base.version, () => {
    setBase(row);
    form.reset(toValues(row));
  });

  return [base, setBase];
}

/**
 * Returns a function that returns an idempotency key for the content of a request. A retry with the same content gets
 * the same key; other content gets a new key.
 */
export function useEventId(): (content: unknown) => string {
  const last = useRef<{ text: string; id: string }>(undefined);
  return (content) => {
    const text = JSON.stringify(content);
    if (last.current?.text !== text) last.current = { text, id: newUuid() };
    return last.current.id;
  };
}

interface SaveOptions<Values extends FieldValues, Key extends object> {
  /** Reads the current version of the record, aliased as `current`. */
  versionQuery: TypedDocumentNode<{ current: Versioned | null }, Key>;
  /** Fields that server errors can refer to. */
  fields: readonly FieldPath<Values>[];
  setError: UseFormSetError<Values>;
  /** Moves the server's errors to the form fields that sent the affected values. */
  place?: (failed: AppError) => AppError;
}

/** The result of a mutation. */
export type Outcome<Data> = Pick<OperationResult<Data>, 'data' | 'error'>;

interface Attempt<Key extends object, Data> {
  /** Key of the changed record, and the version that filled the fields. */
  key: Key;
  version: number;
  send: () => Promise<Outcome<Data>>;
  /** Reports the success. Returns how to leave the page, or undefined to keep it open for further changes. */
  onSaved: (data: Data) => Go | undefined;
  onRefused?: (failed: AppError) => void;
}

/**
 * Returns `attempt`, which saves a changed record and ignores further submits after a success. Errors are shown at
 * their fields or as a conflict.
 */
export function useSave<Values extends FieldValues, Key extends object>(
  options: SaveOptions<Values, Key>,
) {
  const { versionQuery, fields, setError, place = (failed) => failed } = options;
  const findConflict = useConflict(versionQuery);
  const [failure, setFailure] = useState<AppError>();
  const [conflict, setConflict] = useState<Conflict>();
  const { exit, leave } = useLeave();

  function forget() {
    setFailure(undefined);
    setConflict(undefined);
  }

  async function attempt<Data>({ key, version, send, onSaved, onRefused }: Attempt<Key, Data>) {
    if (exit.isSaved()) return;
    forget();
    const { data, error } = await send();
    if (data) {
      const go = onSaved(data);
      if (go) await leave(go);
      return;
    }
    const failed = place(normalizeError(error));
    onRefused?.(failed);
    const found = await findConflict(failed, key, version);
    setConflict(found);
    if (found) return;
    setFailure(failed);
    showFieldErrors(failed, fields, setError);
  }

  return { failure, conflict, forget, attempt, exit };
}
