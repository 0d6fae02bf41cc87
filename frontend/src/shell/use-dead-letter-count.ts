import { useQuery } from 'urql';
import { graphql } from '@/data/graphql';
import { usePolling } from '@/data/use-polling';
import { formatListCount } from '@/lib/numbers';

const POLL_INTERVAL_MS = 60_000;

const query = graphql(`
  query DeadLettersToFixCount {
    deliveryDeadLettersCount(mode: failed) {
      total
      exact
    }
  }
`);

const context = { additionalTypenames: ['DeadLetter', 'Count'] };

/** The number of dead letters to fix. Undefined if it is zero or unknown, or if the user is not an administrator. */
export function useDeadLetterCount(isAdmin = true): string | undefined {
  const [{ data }, execute] = useQuery({
    query,
    requestPolicy: 'cache-and-network',
    context,
    pause: !isAdmin,
  });
  usePolling(() => {
    if (isAdmin) execute({ requestPolicy: 'network-only' });
  }, POLL_INTERVAL_MS);
  const count = data?.deliveryDeadLettersCount;
  if (!count || count.total === 0) return undefined;
  return formatListCount(count);
}
