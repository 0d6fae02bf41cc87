import { KeyRound } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { FindField, RowActions } from '@/list/resource';
import { ResourceList } from '@/list/resource-list';
import { ResetLinkDialog } from '@/domain/reset-links';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import type { UserRow } from './queries';
import { resetPasswordResource } from './user-list';

const find: FindField = { key: 'username', labelKey: 'users:fields.username' };

export default function UserResetPasswordPage() {
  const { t } = useTranslation('users');
  const [linkFor, setLinkFor] = useState<UserRow>();
  const rowActions = useMemo(
    (): RowActions<UserRow> => ({
      width: 184,
      onCard: 'below',
      render: (user) => (
        <Button
          size={28}
          icon={KeyRound}
          disabled={user.status === 'disabled'}
          title={user.status === 'disabled' ? t('resetLink.disabled') : undefined}
          aria-label={t('resetLink.createFor', { username: user.username })}
          onClick={() => setLinkFor(user)}
        >
          {t('resetLink.create')}
        </Button>
      ),
    }),
    [t],
  );
  return (
    <PageFrame fill>
      <ResourceList resource={resetPasswordResource} find={find} rowActions={rowActions} />
      {linkFor && (
        <ResetLinkDialog
          account={linkFor}
          kind="password"
          onClose={() => setLinkFor(undefined)}
        />
      )}
    </PageFrame>
  );
}
