import { useMemo } from 'react';
import { useQuery } from 'urql';
import { type Reason, type ReasonAppliesTo, reasonsQuery } from './delivery-queries';

const context = { additionalTypenames: ['Reason'] };
const none: Reason[] = [];

export interface Reasons {
  isLoading: boolean;
  /** True when they could not be read, and a form that needs them cannot be filled. */
  failed: boolean;
  retry: () => void;
  /** Those that a new outcome may have, in their order. */
  active: (appliesTo: ReasonAppliesTo) => Reason[];
  find: (appliesTo: ReasonAppliesTo, code: string | null | undefined) => Reason | undefined;
  /** Its text; the code itself while the reasons are not known. */
  label: (appliesTo: ReasonAppliesTo, code: string | null | undefined) => string | null;
}

/** The catalogue of reasons: small, and the same for every delivery. */
export function useReasons(): Reasons {
  const [{ data, fetching, error }, execute] = useQuery({
    query: reasonsQuery,
    requestPolicy: 'cache-first',
    context,
  });
  const reasons = data?.reasons ?? none;
  const failed = Boolean(error) && !data;
  return useMemo(() => {
    const find: Reasons['find'] = (appliesTo, code) =>
      reasons.find((reason) => reason.appliesTo === appliesTo && reason.code === code);
    return {
      isLoading: fetching && reasons.length === 0,
      failed,
      retry: () => execute({ requestPolicy: 'network-only' }),
      find,
      active: (appliesTo) =>
        reasons
          .filter((reason) => reason.appliesTo === appliesTo && reason.isActive)
          .toSorted((one, other) => one.order - other.order),
      label: (appliesTo, code) => (code ? (find(appliesTo, code)?.label ?? code) : null),
    };
  }, [reasons, fetching, failed, execute]);
}
