import { useCallback } from 'react';
import { useQuery } from 'urql';
import { usePreviousData } from '@/data/use-record';
import { reasonsLookup } from './queries';

const context = { additionalTypenames: ['Reason'] };

/** The catalog of reasons of each status that has one. */
const APPLIES_TO = new Map<unknown, string>([
  ['Undelivered', 'undelivered'],
  ['Rejected', 'rejected'],
]);

/**
 * Returns a function that labels an outcome reason. Reasons of different statuses can share a code: with a status, the
 * label is that status's; without one, all labels are joined. Falls back to the code.
 */
export function useOutcomeReasonLabel({ pause = false } = {}) {
  // Each row of a list has this label, and must not read the catalog again.
  const [{ data }] = useQuery({ query: reasonsLookup, requestPolicy: 'cache-first', context, pause });
  const reasons = usePreviousData(data?.reasons, 'reasons');
  return useCallback(
    (code: string, status?: unknown): string => {
      const same = reasons?.filter((reason) => reason.code === code && reason.appliesTo !== 'variance') ?? [];
      const ofStatus = same.find(({ appliesTo }) => appliesTo === APPLIES_TO.get(status));
      const labels = new Set((ofStatus ? [ofStatus] : same).map(({ label }) => label));
      return [...labels].join(' / ') || code;
    },
    [reasons],
  );
}
