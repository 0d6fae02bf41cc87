import { LoaderCircle, RefreshCw } from 'lucide-react';
import { Fragment, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { Button } from '@/ui/button';
import { cn } from '@/ui/cn';
import { Note } from '@/ui/note';
import { Panel } from '@/ui/panel';
import { StateView } from '@/ui/state-view';
import { type AppError, normalizeError } from './errors';
import type { RecordResult } from './use-record';

/** The state of a query. `refetch` was requested by the user, `polling` was not. */
export type QueryStatus = 'loading' | 'refetch' | 'polling' | 'ready' | 'error';

interface QueryFacts {
  isBusy: boolean;
  isKnown: boolean;
  isFailed: boolean;
  /** Why the query was repeated, if it was. */
  again: 'refetch' | 'polling' | undefined;
}

export function queryStatus({ isBusy, isKnown, isFailed, again }: QueryFacts): QueryStatus {
  if (isBusy) return again ?? (isKnown ? 'refetch' : 'loading');
  if (isFailed) return 'error';
  return isKnown ? 'ready' : 'loading';
}

interface QueryStateProps<Value> {
  /** Undefined until loaded, null if the record does not exist. */
  value: Value | null | undefined;
  error: unknown;
  status?: QueryStatus;
  /** `loading` and `empty` are plain placeholders by default. */
  loading?: ReactNode;
  empty?: ReactNode;
  onRetry: () => void;
  children: (value: Value) => ReactNode;
}

/** Shows the state of one query. The last value stays on screen when a refetch fails. */
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

/** Loading text in place of the content of a panel. */
export function CellLoading() {
  const { t } = useTranslation('common');
  return (
    <p role="status" className="px-4 py-6 text-center text-sm text-muted">
      {t('loading')}
    </p>
  );
}

/** A one-word placeholder for a value that is empty, still loading, or failed to load. */
export function Placeholder({ kind }: { kind: 'empty' | 'error' | 'loading' }) {
  const { t } = useTranslation('common');
  return <span className="text-muted">{t(`placeholder.${kind}`)}</span>;
}

interface QueryFailureProps {
  error: AppError | undefined;
  /** Whether a retry is in flight. */
  isRetrying?: boolean;
  onRetry: () => void;
}

/** Shows why loading failed and what to do next. */
export function QueryFailure({ error, isRetrying = false, onRetry }: QueryFailureProps) {
  const { t } = useTranslation(['list', 'common']);
  const hint =
    error?.kind === 'network' || error?.kind === 'forbidden' ? error.kind : ('server' as const);
  const message = error?.detail ?? error?.message ?? t('common:genericError');
  const title = t('common:somethingWrong');
  return (
    <StateView
      kind="error"
      className="my-auto"
      title={title}
      text={
        <>
          {message !== title && <p>{message}</p>}
          <p>{t(`failure.${hint}`)}</p>
        </>
      }
      actions={
        <Button
          variant="primary"
          size={36}
          icon={isRetrying ? LoaderCircle : RefreshCw}
          disabled={isRetrying}
          onClick={onRetry}
        >
          {t(isRetrying ? 'common:loading' : 'common:retry')}
        </Button>
      }
    />
  );
}

interface RecordStateProps<Value> {
  result: RecordResult<Value>;
  loading: ReactNode;
  /** Text for a record that does not exist, with a link to its list. */
  notFound: { title: string; text: string; action: string; to: string };
  children: (value: Value) => ReactNode;
}

/** Shows the state of the query of a record page. */
export function RecordState<Value>(props: RecordStateProps<Value>) {
  const { result, loading, notFound, children } = props;
  const { key, value, error, status, retry, isStale } = result;
  return (
    <QueryState
      value={value}
      error={error}
      status={status}
      onRetry={retry}
      loading={loading}
      empty={
        <Panel>
          <StateView
            kind="no-match"
            title={notFound.title}
            text={notFound.text}
            actions={
              <Button asChild variant="primary" size={36}>
                <Link to={notFound.to}>{notFound.action}</Link>
              </Button>
            }
          />
        </Panel>
      }
    >
      {(found) => (
        // A form or dialog about one record must not go on with the next, which may be cached.
        <Fragment key={key}>
          {isStale && <StaleRecordNote onRetry={retry} className="mb-4" />}
          {children(found)}
        </Fragment>
      )}
    </QueryState>
  );
}

interface StaleRecordNoteProps {
  onRetry: () => void;
  className?: string;
}

/** Says that the shown value is from an earlier read, because the last one failed. */
export function StaleRecordNote({ onRetry, className }: StaleRecordNoteProps) {
  const { t } = useTranslation('common');
  return (
    <Note
      tone="warn"
      role="status"
      title={t('staleRecord')}
      className={cn('print:hidden', className)}
      action={
        <Button size={28} icon={RefreshCw} onClick={onRetry}>
          {t('retry')}
        </Button>
      }
    />
  );
}
