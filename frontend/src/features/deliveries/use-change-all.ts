import { useEffect, useRef, useState } from 'react';
import { type CombinedError, useClient } from 'urql';
import { type AppError, normalizeError } from '@/data/errors';
import { useEventId } from '@/form/use-save';
import type { WhereFilter } from '@/list/resource';
import type { BulkChange } from './bulk-change-queries';
import { watchBulkChange } from './watch-bulk-change';

export interface ChangeInput {
  id: string;
  where: WhereFilter[];
  dryRun: boolean;
}

/** What is asked of the server: a count, or the change itself. */
export type Ask = (change: ChangeInput) => Promise<{ change?: BulkChange | undefined; error?: CombinedError | undefined }>;

export type Step = 'asking' | 'counted' | 'running' | 'ended';

export interface ChangeAll {
  step: Step;
  /** The count, then how far it is, then what came of it. */
  change: BulkChange | undefined;
  failure: AppError | undefined;
  busy: boolean;
  /** The change can no longer be read; it goes on. */
  lost: boolean;
  count: () => Promise<void>;
  start: () => Promise<void>;
  back: () => void;
}

/** Counts what a change of all that match would do, starts it once however often that is pressed, and follows it. */
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
