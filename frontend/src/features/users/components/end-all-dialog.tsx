import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { useAuth } from '@/auth/use-auth';
import { errorText, normalizeError } from '@/data/errors';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { toast } from '@/ui/toast';
import { endUserSessionsMutation, type User } from '../queries';

interface EndAllDialogProps {
  user: Pick<User, 'id' | 'username'>;
  onClose: () => void;
}

const context = { additionalTypenames: ['Session'] };

export function EndAllDialog({ user, onClose }: EndAllDialogProps) {
  const { t } = useTranslation('users');
  const { currentUser } = useAuth();
  const [, execute] = useMutation(endUserSessionsMutation);
  const { id, username } = user;
  const isOwn = id === currentUser?.id;

  async function endAll() {
    const { data, error } = await execute({ input: { userId: id } }, context);
    if (error) return errorText(normalizeError(error));
    toast.success(t('sessions.ended', { count: data?.endUserSessions.count ?? 0 }));
    return undefined;
  }

  return (
    <ConfirmDialog
      danger
      title={t('sessions.endAllQuestion', { username })}
      text={t(isOwn ? 'sessions.endAllOwn' : 'sessions.endAllText', { username })}
      confirm={t('sessions.endAllConfirm')}
      busy={t('sessions.ending')}
      onConfirm={endAll}
      onClose={onClose}
    />
  );
}
