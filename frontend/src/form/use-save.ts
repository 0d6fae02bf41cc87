import type { OperationResult, TypedDocumentNode } from '@urql/core';
import { useRef, useState } from 'react';
import type { FieldPath, FieldValues, UseFormSetError } from 'react-hook-form';
import { type AppError, normalizeError } from '@/data/errors';
import { showFieldErrors } from './server-errors';
import { type Conflict, useConflict, type Versioned } from './use-conflict';

interface SaveOptions<Values extends FieldValues, Key extends object> {
  /** Reads the record as it is now, by the name `current`. */
  versionQuery: TypedDocumentNode<{ current: Versioned | null }, Key>;
  /** Those that the server may say something about. */
  fields: readonly FieldPath<Values>[];
  setError: UseFormSetError<Values>;
}

interface Attempt<Key extends object> {
  /** Of the record that was changed, and the version that the fields were filled from. */
  key: Key;
  version: number;
  send: () => Promise<OperationResult>;
  onSaved: () => Promise<void>;
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

  async function attempt({ key, version, send, onSaved, onRefused }: Attempt<Key>) {
    if (isSaved.current) return;
    forget();
    const { data, error } = await send();
    if (data) {
      isSaved.current = true;
      await onSaved();
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
