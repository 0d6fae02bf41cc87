import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { type Client, type CombinedError, useClient } from 'urql';
import * as v from 'valibot';
import { type AppError, normalizeError } from '@/data/errors';
import { graphql, type ResultOf } from '@/data/graphql';
import { useEventId } from '@/form/use-save';
import { readStored, writeStored } from '@/lib/stored-json';
import type { WhereFilter } from '@/list/resource';

export const bulkChangeQuery = graphql(`
  query BulkChange($id: String!) {
    bulkChange(id: $id) {
      id
      verb
      state
      total
      done
      changed
      failed
      leftOut {
        reason
        count
      }
      failureText
      finishedAt
      cancelRequested
    }
  }
`);

export const bulkChangesQuery = graphql(`
  query BulkChanges {
    bulkChanges {
      id
      verb
      state
      total
      done
      changed
      finishedAt
    }
  }
`);

export const assignAllMutation = graphql(`
  mutation AssignAll($change: BulkChangeInput!, $driverId: String) {
    assignAll(change: $change, driverId: $driverId) {
      id
      verb
      state
      total
      done
      changed
      failed
      leftOut {
        reason
        count
      }
      failureText
      finishedAt
      cancelRequested
    }
  }
`);

export const changeAllDispatchTimesMutation = graphql(`
  mutation ChangeAllDispatchTimes($change: BulkChangeInput!, $scheduledatetime: DateTime!) {
    changeAllDispatchTimes(change: $change, scheduledatetime: $scheduledatetime) {
      id
      verb
      state
      total
      done
      changed
      failed
      leftOut {
        reason
        count
      }
      failureText
      finishedAt
      cancelRequested
    }
  }
`);

export const rescheduleAllMutation = graphql(`
  mutation RescheduleAll($change: BulkChangeInput!, $scheduledatetime: DateTime!, $note: String) {
    rescheduleAll(change: $change, scheduledatetime: $scheduledatetime, note: $note) {
      id
      verb
      state
      total
      done
      changed
      failed
      leftOut {
        reason
        count
      }
      failureText
      finishedAt
      cancelRequested
    }
  }
`);

export const cancelBulkChangeMutation = graphql(`
  mutation CancelBulkChange($id: String!) {
    cancelBulkChange(id: $id) {
      id
      cancelRequested
    }
  }
`);

export const undoBulkChangeMutation = graphql(`
  mutation UndoBulkChange($id: String!, $changeId: String!) {
    undoBulkChange(id: $id, changeId: $changeId) {
      id
    }
  }
`);

export type BulkChange = NonNullable<ResultOf<typeof bulkChangeQuery>['bulkChange']>;
export type ListedChange = ResultOf<typeof bulkChangesQuery>['bulkChanges'][number];

const VERBS = ['assign', 'dispatch', 'reschedule'] as const;

/** Maps the verb of a change to its translation key. */
export const verbOf = (verb: string) => VERBS.find((it) => it === verb) ?? 'assign';

/** How long after the end of a change the server accepts its undo, in milliseconds. */
const UNDO_ACCEPTED = 300_000;

/** Whether the server would still undo a change. A next attempt can't be undone. */
export function isUndoable({ verb, changed, finishedAt }: ListedChange | BulkChange) {
  const hasEnded = finishedAt !== null && Date.now() - Date.parse(finishedAt) < UNDO_ACCEPTED;
  return hasEnded && changed > 0 && (verb === 'assign' || verb === 'dispatch');
}

const LOOK = 500;
/** How many polls in a row may fail. The server may be restarting, and the change continues. */
const PATIENCE = 20;

const pause = (milliseconds: number) => new Promise((resolve) => void setTimeout(resolve, milliseconds));

/**
 * Polls a change until it ends and returns it. Returns undefined after too many failed polls, or once `isWanted`
 * returns false.
 */
export async function watchBulkChange(
  client: Client,
  id: string,
  onLook: (change: BulkChange) => void,
  isWanted: () => boolean = () => true,
): Promise<BulkChange | undefined> {
  let failed = 0;
  while (failed < PATIENCE && isWanted()) {
    const { data } = await client
      .query(bulkChangeQuery, { id }, { requestPolicy: 'network-only' })
      .toPromise();
    const change = data?.bulkChange;
    failed = change ? 0 : failed + 1;
    if (change && isWanted()) {
      onLook(change);
      if (change.finishedAt) return change;
    }
    await pause(LOOK);
  }
  return undefined;
}

interface ChangeInput {
  id: string;
  where: WhereFilter[];
  dryRun: boolean;
}

/** Sends a request to the server: a dry run, or the change itself. */
type Ask = (change: ChangeInput) => Promise<{ change?: BulkChange | undefined; error?: CombinedError | undefined }>;

type Step = 'asking' | 'counted' | 'running' | 'ended';

export interface ChangeAll {
  step: Step;
  /** The dry run, then the progress, then the result. */
  change: BulkChange | undefined;
  failure: AppError | undefined;
  busy: boolean;
  /** Whether polling failed; the change continues on the server. */
  lost: boolean;
  count: () => Promise<void>;
  start: () => Promise<void>;
  back: () => void;
}

/** Counts what a bulk change of all matching deliveries would do, starts it once, and polls it until it ends. */
export function useChangeAll(where: readonly WhereFilter[], content: () => unknown, ask: Ask): ChangeAll {
  const client = useClient();
  const idOf = useEventId();
  const [step, setStep] = useState<Step>('asking');
  const [change, setChange] = useState<BulkChange>();
  const [failure, setFailure] = useState<AppError>();
  const [busy, setBusy] = useState(false);
  const [lost, setLost] = useState(false);
  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);

  async function send(dryRun: boolean) {
    if (busy) return undefined;
    setBusy(true);
    setFailure(undefined);
    const answer = await ask({ id: idOf(content()), where: [...where], dryRun });
    setBusy(false);
    if (answer.change) setChange(answer.change);
    else setFailure(normalizeError(answer.error));
    return answer.change;
  }

  return {
    step,
    change,
    failure,
    busy,
    lost,
    count: async () => {
      if (await send(true)) setStep('counted');
    },
    start: async () => {
      const started = await send(false);
      if (!started) return;
      setStep('running');
      const ended = await watchBulkChange(client, started.id, setChange, () => isOpen.current);
      if (ended) setStep('ended');
      else setLost(true);
    },
    back: () => {
      setFailure(undefined);
      setStep('asking');
    },
  };
}

const KEY = 'waybill.bulk-changes.seen';
/** How many seen changes to remember. The server never returns more changes than this. */
const KEPT = 20;

const schema = v.array(v.string());
const listeners = new Set<() => void>();
const read = () => readStored(KEY, (value) => v.parse(schema, value), []);

export function markSeen(id: string): void {
  writeStored(KEY, [id, ...read().filter((other) => other !== id)].slice(0, KEPT));
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Returns a function that checks, by the id of a change, whether its result was already seen. */
export function useSeen(): (id: string) => boolean {
  // A string, so that equal snapshots are identical.
  const seen = useSyncExternalStore(subscribe, () => read().join(' '));
  return (id) => seen.split(' ').includes(id);
}
