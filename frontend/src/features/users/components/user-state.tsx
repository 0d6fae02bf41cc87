import { RefreshCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { QueryState } from '@/data/query-state';
import { routes } from '@/routing/routes';
import { Button } from '@/ui/button';
import { Note } from '@/ui/note';
import { Panel } from '@/ui/panel';
import { StateView } from '@/ui/state-view';
import type { User } from '../queries';
import type { useUser } from '../use-user';

interface UserStateProps {
  result: ReturnType<typeof useUser>;
  loading: ReactNode;
  children: (user: User) => ReactNode;
}

/** The states of a page about one account. */
export function UserState({ result, loading, children }: UserStateProps) {
  const { t } = useTranslation(['users', 'common']);
  const { user, error, retry, isStale } = result;
  return (
    <QueryState
      value={user}
      error={error}
      onRetry={retry}
      loading={loading}
      empty={
        <Panel>
          <StateView
            kind="no-match"
            title={t('view.notFound.title')}
            text={t('view.notFound.text')}
            actions={
              <Button asChild variant="primary" size={36}>
                <Link to={routes.adminUsers()}>{t('view.notFound.action')}</Link>
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
              title={t('view.stale')}
              className="mb-4"
              action={
                <Button size={28} icon={RefreshCw} onClick={retry}>
                  {t('retry', { ns: 'common' })}
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
