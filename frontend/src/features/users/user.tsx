import { type ReactNode, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { errorText, normalizeError } from '@/data/errors';
import { RecordState } from '@/data/query-state';
import { type RecordResult, useRecord } from '@/data/use-record';
import { useTimeZone } from '@/data/use-time-zone';
import { useConflict } from '@/form/use-save';
import { formatDateTime } from '@/lib/dates';
import { routes } from '@/routing/routes';
import { useRecordName } from '@/shell/current-record';
import { ConfirmDialog } from '@/ui/dialog';
import { toast } from '@/ui/toast';
import {
  updateUserStatusMutation,
  type User,
  userQuery,
  type UserRow,
  userVersionQuery,
} from './queries';

/** Reads one account; keeps the last result if a refresh fails. */
export function useUser(id: string): RecordResult<User> {
  const result = useRecord({
    document: userQuery,
    variables: { id },
    typenames: ['User', 'Session'],
    read: ({ user }) => user,
  });
  useRecordName(result.value?.username);
  return result;
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
    const { by, at, isOwn } = conflict;
    return t(isOwn ? 'conflict.own' : 'conflict.again', { by, at: formatDateTime(at, timeZone) });
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
  result: RecordResult<User>;
  loading: ReactNode;
  children: (user: User) => ReactNode;
}

/** Loading, error and not-found states of a page about one account. */
export function UserState({ result, loading, children }: UserStateProps) {
  const { t } = useTranslation('users');
  return (
    <RecordState
      result={result}
      loading={loading}
      notFound={{
        title: t('view.notFound.title'),
        text: t('view.notFound.text'),
        action: t('view.notFound.action'),
        to: routes.adminUsers(),
      }}
    >
      {children}
    </RecordState>
  );
}
