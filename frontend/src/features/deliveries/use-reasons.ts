import { useMemo } from 'react';
import { useQuery } from 'urql';
import { type Reason, type ReasonAppliesTo, reasonsQuery } from './delivery-queries';

const context = { additionalTypenames: ['Reason'] };
const none: Reason[] = [];

export interface Reasons {
  isLoading: boolean;
  /** Whether loading failed. Forms that need reasons then cannot be filled in. */
  failed: boolean;
  retry: () => void;
  /** Reasons that can be selected for a new outcome, in order. */
  active: (appliesTo: ReasonAppliesTo) => Reason[];
  find: (appliesTo: ReasonAppliesTo, code: string | null | undefined) => Reason | undefined;
  /** The label of a reason; its code until the reasons are loaded. */
  label: (appliesTo: ReasonAppliesTo, code: string | null | undefined) => string | null;
}

/** Loads the catalog of reasons, which all deliveries share. */
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
