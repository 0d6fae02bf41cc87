import { RefreshCw } from 'lucide-react';
import { type ReactNode, useCallback, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useMutation, useQuery } from 'urql';
import { errorText, normalizeError } from '@/data/errors';
import { QueryState } from '@/data/query-state';
import { usePreviousData } from '@/data/use-record';
import { useTimeZone } from '@/data/use-time-zone';
import { useConflict } from '@/form/use-save';
import { formatDateTime } from '@/lib/dates';
import { routes } from '@/routing/routes';
import { useRecordName } from '@/shell/current-record';
import { Button } from '@/ui/button';
import { ConfirmDialog } from '@/ui/dialog';
import { Note } from '@/ui/note';
import { Panel } from '@/ui/panel';
import { StateView } from '@/ui/state-view';
import { toast } from '@/ui/toast';
import {
  updateUserStatusMutation,
  type User,
  userQuery,
  type UserRow,
  userVersionQuery,
} from './queries';

const context = { additionalTypenames: ['User', 'Session'] };

/** Reads one account; keeps the last result if a refresh fails. */
export function useUser(id: string) {
  const [result, execute] = useQuery({
    query: userQuery,
    variables: useMemo(() => ({ id }), [id]),
    requestPolicy: 'cache-and-network',
    context,
  });
  const isOwn = result.operation?.variables.id === id;
  const user = usePreviousData(isOwn ? result.data?.user : undefined, id);
  useRecordName(user?.username);
  const error = isOwn ? result.error : undefined;
  const retry = useCallback(() => execute({ requestPolicy: 'network-only' }), [execute]);
  return { user, error, retry, isStale: Boolean(error && user && !result.fetching) };
}

interface StatusDialogProps {
  user: Pick<UserRow, 'id' | 'username' | 'status' | 'version'>;
  onClose: () => void;
}

/** Disables or enables an account. */
export function StatusDialog({ user, onClose }: StatusDialogProps) {
  const { t } = useTranslation('users');
  const timeZone = useTimeZone();
  const [, execute] = useMutation(updateUserStatusMutation);
  const findConflict = useConflict(userVersionQuery);
  // Keep the account as it was when the dialog opened, even if the page refreshes it.
  const [{ id, username, status: before }] = useState(user);
  const version = useRef(user.version);
  const verb = before === 'disabled' ? 'enable' : 'disable';

  async function change(): Promise<string | undefined> {
    const status = verb === 'enable' ? 'active' : 'disabled';
    const { error } = await execute({ input: { id, status, version: version.current } });
    if (!error) {
      toast.success(t(`${verb}.done`, { username }));
      return undefined;
    }
    const failed = normalizeError(error);
    const conflict = await findConflict(failed, { id }, version.current);
    if (!conflict) return errorText(failed);
    // The conflict was shown, so saving again applies to the current version.
    version.current = conflict.version;
    return t('conflict.again', { by: conflict.by, at: formatDateTime(conflict.at, timeZone) });
  }

  return (
    <ConfirmDialog
      danger={verb === 'disable'}
      title={t(`${verb}.question`, { username })}
      text={t(`${verb}.text`)}
      confirm={t(`${verb}.confirm`)}
      busy={t(`${verb}.busy`)}
      onConfirm={change}
      onClose={onClose}
    />
  );
}

interface UserStateProps {
  result: ReturnType<typeof useUser>;
  loading: ReactNode;
  children: (user: User) => ReactNode;
}

/** Loading, error and not-found states of a page about one account. */
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
