import type { OperationResult, TypedDocumentNode } from '@urql/core';
import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';
import type { FieldPath, FieldValues, UseFormReturn, UseFormSetError } from 'react-hook-form';
import { useClient } from 'urql';
import { type AppError, normalizeError } from '@/data/errors';
import { newUuid } from '@/lib/uuid';

/** Puts what the server said about single fields under those of the form; the first gets the focus. */
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

/** What somebody else saved since a record was read. */
export interface Conflict {
  by: string;
  at: string;
  version: number;
}

export interface Versioned {
  version: number;
  /** Null of what nobody ever changed, which is then no conflict either. */
  updatedAt: string | null;
  updatedBy: string | null;
}

/**
 * Finds out whether a change was refused because of somebody else's, and whose: the refusal alone
 * does not tell. The document reads the record as it is now, by the name `current`.
 */
export function useConflict<Variables extends object>(
  document: TypedDocumentNode<{ current: Versioned | null }, Variables>,
) {
  const client = useClient();
  return useCallback(
    async (
      failed: AppError,
      variables: Variables,
      version: number,
    ): Promise<Conflict | undefined> => {
      if (failed.code !== 'FAILED_PRECONDITION') return undefined;
      const { data } = await client
        .query(document, variables, { requestPolicy: 'network-only' })
        .toPromise();
      const now = data?.current;
      if (!now || now.version === version) return undefined;
      return { by: now.updatedBy ?? '', at: now.updatedAt ?? '', version: now.version };
    },
    [client, document],
  );
}

/**
 * The record that the fields were filled from: what is saved stands on its version, not on a newer one
 * read since. While nothing is changed here, the fields follow what is read.
 */
export function useBase<Row extends { version: number }, Values extends FieldValues>(
  row: Row,
  form: UseFormReturn<Values>,
  toValues: (row: Row) => Values,
): [base: Row, setBase: (row: Row) => void] {
  const [base, setBase] = useState(row);
  const { isDirty } = form.formState;
  const fill = useEffectEvent((newer: Row) => form.reset(toValues(newer)));

  useEffect(() => {
    if (isDirty || row.version <= base.version) return;
    setBase(row);
    fill(row);
  }, [row, base, isDirty]);

  return [base, setBase];
}

/**
 * The id an event is sent under, by which the server knows one it has already. Sending the same
 * content again, after a lost answer for one, has the same id; other content is another event.
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
  /** Reads the record as it is now, by the name `current`. */
  versionQuery: TypedDocumentNode<{ current: Versioned | null }, Key>;
  /** Those that the server may say something about. */
  fields: readonly FieldPath<Values>[];
  setError: UseFormSetError<Values>;
}

/** What a mutation came to. */
export type Outcome<Data> = Pick<OperationResult<Data>, 'data' | 'error'>;

interface Attempt<Key extends object, Data> {
  /** Of the record that was changed, and the version that the fields were filled from. */
  key: Key;
  version: number;
  send: () => Promise<Outcome<Data>>;
  /** Leaves the page, unless it says that it stays there for the next change. */
  onSaved: (data: Data) => Promise<'stays' | void>;
  onRefused?: (failed: AppError) => void;
}

/**
 * Saves a changed record once. What is refused is told at its fields, or as the conflict with somebody
 * who was faster.
 */
export function useSave<Values extends FieldValues, Key extends object>(
  options: SaveOptions<Values, Key>,
) {
  const { versionQuery, fields, setError } = options;
  const findConflict = useConflict(versionQuery);
  const [failure, setFailure] = useState<AppError>();
  const [conflict, setConflict] = useState<Conflict>();
  // A second press may come before the page is gone.
  const isSaved = useRef(false);

  function forget() {
    setFailure(undefined);
    setConflict(undefined);
  }

  async function attempt<Data>({ key, version, send, onSaved, onRefused }: Attempt<Key, Data>) {
    if (isSaved.current) return;
    forget();
    const { data, error } = await send();
    if (data) {
      isSaved.current = true;
      isSaved.current = (await onSaved(data)) !== 'stays';
      return;
    }
    const failed = normalizeError(error);
    onRefused?.(failed);
    const found = await findConflict(failed, key, version);
    setConflict(found);
    if (found) return;
    setFailure(failed);
    showFieldErrors(failed, fields, setError);
  }

  return { failure, conflict, forget, attempt };
}
