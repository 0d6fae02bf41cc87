import { useEffect, useRef, useState } from 'react';
import { type AppError, errorText } from '@/data/errors';

export interface BulkResult {
  deliveryId: string;
  ok: boolean;
  /** What to say of one that did not work. */
  text?: string | null;
}

/** What a mutation answers for each id, or why it was not done at all. */
export type BulkAnswer = { results: readonly BulkResult[] } | { failed: AppError };

export interface BulkRun {
  status: 'asking' | 'running' | 'done';
  done: number;
  total: number;
  results: readonly BulkResult[];
  /** Why nothing was done: for the form that asked. */
  failure: AppError | undefined;
  run: (ids: readonly string[]) => Promise<void>;
  /** Stops after those that are on their way. */
  stop: () => void;
}

// Enough to be quick, and few enough for the progress to move.
const CHUNK = 100;

const idle = { status: 'asking', done: 0, total: 0, results: [], failure: undefined } as const;

/** Does something to many records, some at a time, and keeps what came of each. */
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
    // A second run is of those that failed: what the first one did stays done.
    const again = new Set(ids);
    const results = state.results.filter(({ deliveryId }) => !again.has(deliveryId));
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
    setState({ ...idle, status: 'done', done: results.length - before, total, results });
  }

  return {
    ...state,
    run,
    stop: () => {
      stopped.current = true;
    },
  };
}
