import { useCallback } from 'react';
import { useQuery } from 'urql';
import { usePreviousData } from '@/data/use-record';
import type { ReasonText } from '@/domain/changed-value';
import { reasonsLookup } from './queries';

const context = { additionalTypenames: ['Reason'] };

/** The catalog of reasons of each status that has one. */
const APPLIES_TO = new Map<unknown, string>([
  ['Undelivered', 'undelivered'],
  ['Rejected', 'rejected'],
]);

function useReasons(pause: boolean) {
  // Each row of a list has a label, and must not read the catalog again.
  const [{ data }] = useQuery({ query: reasonsLookup, requestPolicy: 'cache-first', context, pause });
  return usePreviousData(data?.reasons, 'reasons');
}

/** Joins the labels of reasons with the same code, or returns the code if there are none. */
export function labelOf(reasons: readonly { label: string }[], code: string): string {
  return [...new Set(reasons.map(({ label }) => label))].join(' / ') || code;
}

/**
 * Returns a function that labels an outcome reason. Reasons of different statuses can share a code: with a status, the
 * label is that status's; without one, all labels are joined. Falls back to the code.
 */
export function useOutcomeReasonLabel({ pause = false } = {}) {
  const reasons = useReasons(pause);
  return useCallback(
    (code: string, status?: unknown): string => {
      const same = reasons?.filter((reason) => reason.code === code && reason.appliesTo !== 'variance') ?? [];
      const ofStatus = same.find(({ appliesTo }) => appliesTo === APPLIES_TO.get(status));
      return labelOf(ofStatus ? [ofStatus] : same, code);
    },
    [reasons],
  );
}

/**
 * Returns a function that labels the reason in a changed field. The field does not show the status that an outcome reason
 * belongs to, so all labels of its code are joined. Falls back to the code.
 */
export function useReasonText({ pause = false } = {}): ReasonText {
  const reasons = useReasons(pause);
  return useCallback(
    (field, code) => {
      const isVariance = field === 'varianceReason';
      const isSame = (reason: { code: string; appliesTo: string }) =>
        reason.code === code && (reason.appliesTo === 'variance') === isVariance;
      return labelOf(reasons?.filter(isSame) ?? [], code);
    },
    [reasons],
  );
}
