import { useEffect, useRef, useState } from 'react';
import { type AppError, errorText } from '@/data/errors';

export interface BulkResult {
  deliveryId: string;
  ok: boolean;
  /** Error code of a failed record, and its message. */
  code?: string | null;
  text?: string | null;
}

/** Per-ID results of a mutation, or the error if nothing was done. */
export type BulkAnswer = { results: readonly BulkResult[] } | { failed: AppError };

export interface BulkRun {
  status: 'asking' | 'running' | 'done';
  done: number;
  total: number;
  results: readonly BulkResult[];
  /** The IDs of a finished run that did not succeed: those that failed, and those that it did not reach. */
  left: readonly string[];
  /** Those of `left` that the same request may change. A record that was changed since it was read is not among them. */
  again: readonly string[];
  /** The error to show in the form if no record was changed. */
  failure: AppError | undefined;
  run: (ids: readonly string[]) => Promise<void>;
  /** Stops after the current chunk. */
  stop: () => void;
}

// The size is large enough to be fast, and small enough for steady progress.
const CHUNK = 100;

const idle = { status: 'asking', done: 0, total: 0, results: [], left: [], again: [], failure: undefined } as const;

/** Runs a mutation for many records in chunks and collects the results. */
export function useBulkRun(send: (ids: string[]) => Promise<BulkAnswer>): BulkRun {
  const [state, setState] = useState<Omit<BulkRun, 'run' | 'stop'>>(idle);
  const stopped = useRef(false);
  useEffect(
    () => () => {
      stopped.current = true;
    },
    [],
  );

  async function run(ids: readonly string[]) {
    stopped.current = false;
    const total = ids.length;
    // A second run goes on with the ids that are left, and the earlier successes stay.
    const repeated = new Set(ids);
    const results = state.results.filter(({ deliveryId }) => !repeated.has(deliveryId));
    const failedBefore = results.filter(({ ok }) => !ok).map(({ deliveryId }) => deliveryId);
    const before = results.length;
    setState({ ...idle, status: 'running', total, results: [...results] });
    for (let at = 0; at < total && !stopped.current; at += CHUNK) {
      const part = ids.slice(at, at + CHUNK);
      const answer = await send(part);
      if ('results' in answer) {
        results.push(...answer.results);
      } else if (results.length === 0) {
        setState({ ...idle, failure: answer.failed });
        return;
      } else {
        const text = errorText(answer.failed);
        results.push(...ids.slice(at).map((deliveryId) => ({ deliveryId, ok: false, text })));
        break;
      }
      const done = results.length - before;
      setState((now) => ({ ...now, done, results: [...results] }));
    }
    const succeeded = new Set(results.filter(({ ok }) => ok).map(({ deliveryId }) => deliveryId));
    const outdated = results.filter(({ code }) => code === 'DELIVERY_CHANGED');
    const changed = new Set(outdated.map(({ deliveryId }) => deliveryId));
    const left = [...failedBefore, ...ids.filter((id) => !succeeded.has(id))];
    const again = left.filter((id) => !changed.has(id));
    setState({ ...idle, status: 'done', done: results.length - before, total, results, left, again });
  }

  return {
    ...state,
    run,
    stop: () => {
      stopped.current = true;
    },
  };
}
