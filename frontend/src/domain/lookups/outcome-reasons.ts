import { useQuery } from 'urql';
import { reasonsLookup } from './queries';

const context = { additionalTypenames: ['Reason'] };

/**
 * Returns a function that labels the code of an outcome reason. The status, if known, tells reasons with the same code
 * apart; otherwise the label names all of them. A code is its own label until the reasons are loaded, and if there is no
 * such reason.
 */
export function useOutcomeReasonLabel({ pause }: { pause: boolean }) {
  const [{ data }] = useQuery({ query: reasonsLookup, requestPolicy: 'cache-first', context, pause });
  return (code: string, status?: unknown): string => {
    const same = data?.reasons.filter((reason) => reason.code === code && reason.appliesTo !== 'variance') ?? [];
    const wanted = status === 'Rejected' ? 'rejected' : 'undelivered';
    const ofStatus = status ? same.find(({ appliesTo }) => appliesTo === wanted) : undefined;
    const labels = new Set((ofStatus ? [ofStatus] : same).map(({ label }) => label));
    return [...labels].join(' / ') || code;
  };
}
