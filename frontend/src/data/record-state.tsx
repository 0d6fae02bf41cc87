import { RefreshCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { Button } from '@/ui/button';
import { Note } from '@/ui/note';
import { Panel } from '@/ui/panel';
import { StateView } from '@/ui/state-view';
import { QueryState } from './query-state';
import type { RecordResult } from './use-record';

interface RecordStateProps<Value> {
  result: RecordResult<Value>;
  loading: ReactNode;
  /** What to say where there is no such thing, and where to look instead. */
  notFound: { title: string; text: string; action: string; to: string };
  children: (value: Value) => ReactNode;
}

/** The states of a page about one record. */
export function RecordState<Value>(props: RecordStateProps<Value>) {
  const { result, loading, notFound, children } = props;
  const { value, error, status, retry, isStale } = result;
  const { t } = useTranslation('common');
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
        <>
          {isStale && (
            <Note
              tone="warn"
              role="status"
              title={t('staleRecord')}
              className="mb-4 print:hidden"
              action={
                <Button size={28} icon={RefreshCw} onClick={retry}>
                  {t('retry')}
                </Button>
              }
            />
          )}
          {children(found)}
        </>
      )}
    </QueryState>
  );
}
