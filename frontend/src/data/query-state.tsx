import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { normalizeError } from './errors';
import { Placeholder } from './placeholder';
import { QueryFailure } from './query-failure';
import type { QueryStatus } from './query-status';

interface QueryStateProps<Value> {
  /** Undefined while nothing is known, null when the server knows of no such thing. */
  value: Value | null | undefined;
  error: unknown;
  status?: QueryStatus;
  /** Plain words stand where nothing better is given. */
  loading?: ReactNode;
  empty?: ReactNode;
  onRetry: () => void;
  children: (value: Value) => ReactNode;
}

/** The states of a page that shows one thing. What was read stays when reading it again fails. */
export function QueryState<Value>(props: QueryStateProps<Value>) {
  const { value, error, status, onRetry, children } = props;
  const { loading = <CellLoading />, empty = <Placeholder kind="empty" /> } = props;
  if (value !== undefined && value !== null) return children(value);
  if (error) {
    const isRetrying = status === 'refetch';
    return <QueryFailure {...{ isRetrying, onRetry }} error={normalizeError(error)} />;
  }
  return value === null ? empty : loading;
}

/** In the place of what a part of a page shows. */
export function CellLoading() {
  const { t } = useTranslation('common');
  return (
    <p role="status" className="px-4 py-6 text-center text-sm text-muted">
      {t('loading')}
    </p>
  );
}
