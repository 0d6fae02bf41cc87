import { useQuery } from 'urql';
import type { Part } from './parts';
import { type Form, type FormDescription, incompleteFormQuery } from './queries';

/**
 * What the paper says without some parts. The server words it, so that paper and PDF say the same of
 * what they lack; until it has, the last known text stays and is pending.
 */
export function useDescription(form: Form, complete: FormDescription, without: readonly Part[]) {
  const isComplete = without.length === 0;
  const [result] = useQuery({
    query: incompleteFormQuery,
    variables: {
      deliveryId: form.deliveryId,
      formVersion: form.formVersion,
      without: [...without],
    },
    pause: isComplete,
  });
  const incomplete = result.data?.deliveryForm?.description;
  const isPending = !isComplete && (result.fetching || result.stale || !incomplete);
  return {
    description: isComplete ? complete : (incomplete ?? complete),
    isPending: isPending && !result.error,
    error: isComplete ? undefined : result.error,
  };
}
