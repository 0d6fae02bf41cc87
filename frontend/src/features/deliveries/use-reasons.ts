import { useCallback, useMemo } from 'react';
import { useClient, useQuery } from 'urql';
import { usePreviousData } from '@/data/use-record';
import { type Reason, type ReasonAppliesTo, reasonsQuery } from './delivery-queries';

const context = { additionalTypenames: ['Reason'] };
const none: Reason[] = [];

export interface Reasons {
  isLoading: boolean;
  /** Whether loading failed. Forms that need reasons then cannot be filled in. */
  failed: boolean;
  retry: () => void;
  /** Reasons that can be selected, in order. A deactivated one stays where it is selected already. */
  choices: (appliesTo: ReasonAppliesTo, selected: string | null | undefined) => Reason[];
  find: (appliesTo: ReasonAppliesTo, code: string | null | undefined) => Reason | undefined;
  /** The label of a reason; its code until the reasons are loaded. */
  label: (appliesTo: ReasonAppliesTo, code: string | null | undefined) => string | null;
}

/**
 * Loads the catalog of reasons, which all deliveries share. Each screen reads it again, because reasons are changed through
 * the API, without notice to open tabs.
 */
export function useReasons(): Reasons {
  const [{ data, fetching, error }, execute] = useQuery({ query: reasonsQuery, context });
  const reasons = usePreviousData(data?.reasons, 'reasons') ?? none;
  const failed = Boolean(error) && reasons === none;
  return useMemo(() => {
    const find: Reasons['find'] = (appliesTo, code) =>
      reasons.find((reason) => reason.appliesTo === appliesTo && reason.code === code);
    return {
      isLoading: fetching && reasons.length === 0,
      failed,
      retry: () => execute({ requestPolicy: 'network-only' }),
      find,
      choices: (appliesTo, selected) =>
        reasons
          .filter((reason) => reason.appliesTo === appliesTo && (reason.isActive || reason.code === selected))
          .toSorted((one, other) => one.order - other.order),
      label: (appliesTo, code) => (code ? (find(appliesTo, code)?.label ?? code) : null),
    };
  }, [reasons, fetching, failed, execute]);
}

/** Returns a function that reads the reasons again, for all screens that show them. */
export function useRefreshReasons(): () => void {
  const client = useClient();
  return useCallback(() => {
    void client.query(reasonsQuery, {}, { ...context, requestPolicy: 'network-only' }).toPromise();
  }, [client]);
}
