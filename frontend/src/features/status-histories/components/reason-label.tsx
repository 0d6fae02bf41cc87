import { useQuery } from 'urql';
import { type HistoryStep, historyReasonsQuery } from '../queries';

const APPLIES_TO: Partial<Record<HistoryStep['toStatus'], string>> = {
  Undelivered: 'undelivered',
  Rejected: 'rejected',
};

/** The reason of a step in words; its code while the words are not known. */
export function ReasonLabel({ step }: { step: Pick<HistoryStep, 'reasonCode' | 'toStatus'> }) {
  const [{ data }] = useQuery({ query: historyReasonsQuery, requestPolicy: 'cache-first' });
  const { reasonCode, toStatus } = step;
  const found = data?.reasons.find(
    ({ appliesTo, code }) => code === reasonCode && appliesTo === APPLIES_TO[toStatus],
  );
  return found?.label ?? reasonCode;
}
