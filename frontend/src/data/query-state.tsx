import type { ReactNode } from 'react';
import { normalizeError } from './errors';
import { QueryFailure } from './query-failure';

interface QueryStateProps<Value> {
  /** Undefined while nothing is known, null when the server knows of no such thing. */
  value: Value | null | undefined;
  error: unknown;
  loading: ReactNode;
  empty: ReactNode;
  onRetry: () => void;
  children: (value: Value) => ReactNode;
}

/** The states of a page that shows one thing. What was read stays when reading it again fails. */
export function QueryState<Value>(props: QueryStateProps<Value>) {
  const { value, error, loading, empty, onRetry, children } = props;
  if (value !== undefined && value !== null) return children(value);
  if (error) return <QueryFailure error={normalizeError(error)} onRetry={onRetry} />;
  return value === null ? empty : loading;
}
