import { useState } from 'react';
import { useMutation } from 'urql';
import { errorText, normalizeError } from '@/data/errors';
import { newUuid } from '@/lib/uuid';
import type { WhereFilter } from '@/list/resource';
import { discardManyMutation, resendManyMutation } from './queries';

/** Which messages: these, or, without ids, all to fix that match. */
export interface Chosen {
  ids?: readonly string[];
  where?: WhereFilter[];
}

export type JobAction = 'resend' | 'discard';

const context = { additionalTypenames: ['DeadLetter', 'DeadLetterGroup', 'DeadLetterJob', 'Count'] };
/** A dry run of discarding needs words as well. */
const DRY_REASON = 'dry run';

/** Counts what a job would do, and starts it once however often it is pressed. */
export function useStartJob(action: JobAction, { ids, where }: Chosen) {
  const [, resend] = useMutation(resendManyMutation);
  const [, discard] = useMutation(discardManyMutation);
  const [jobId] = useState(newUuid);

  async function run(dryRun: boolean, reason: string): Promise<{ total: number } | { failed: string }> {
    const input = { jobId, ids: ids ? [...ids] : [], where: where ?? [], dryRun };
    if (action === 'resend') {
      const { data, error } = await resend({ input }, dryRun ? {} : context);
      return data ? data.resendDeadLetters : { failed: errorText(normalizeError(error)) };
    }
    const { data, error } = await discard({ input, reason }, dryRun ? {} : context);
    return data ? data.discardDeadLetters : { failed: errorText(normalizeError(error)) };
  }

  return {
    count: () => run(true, DRY_REASON),
    start: (reason: string) => run(false, reason),
  };
}
