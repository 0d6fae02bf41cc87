import { ScrollText, UserPlus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { RowActions } from '@/list/resource';
import { ResourceList } from '@/list/resource-list';
import { useNarrowScreen } from '@/list/use-narrow-screen';
import { ResetLinkDialog } from '@/reset-links/reset-link-dialog';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { StatusDialog } from '../components/status-dialog';
import { UserMenu } from '../components/user-menu';
import type { UserRow } from '../queries';
import { usersResource } from '../resource';

export default function UsersPage() {
  const { t } = useTranslation('users');
  const narrow = useNarrowScreen();
  const [linkFor, setLinkFor] = useState<UserRow>();
  const [statusOf, setStatusOf] = useState<UserRow>();
  const rowActions = useMemo(
    (): RowActions<UserRow> => ({
      width: 44,
      onCard: 'beside',
      render: (user) => <UserMenu user={user} onResetLink={setLinkFor} onStatus={setStatusOf} />,
    }),
    [],
  );
  const create = (
    <Button asChild variant="primary" icon={UserPlus}>
      <Link to={routes.newUser()}>{t(narrow ? 'createShort' : 'create')}</Link>
    </Button>
  );

  return (
    <PageFrame fill>
      <ResourceList
        resource={usersResource}
        rowActions={rowActions}
        action={
          <>
            <Button asChild icon={ScrollText}>
              <Link to={routes.auditEntries()} aria-label={t('audit.link')}>
                {!narrow && t('audit.link')}
              </Link>
            </Button>
            {create}
          </>
        }
        emptyAction={create}
      />
      {linkFor && (
        <ResetLinkDialog
          account={linkFor}
          kind="password"
          onClose={() => setLinkFor(undefined)}
        />
      )}
      {statusOf && <StatusDialog user={statusOf} onClose={() => setStatusOf(undefined)} />}
    </PageFrame>
  );
}
