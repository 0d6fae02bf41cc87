import {
  CircleCheck,
  CircleSlash,
  Ellipsis,
  Eye,
  KeyRound,
  ScrollText,
  ShieldCheck,
  UserPlus,
} from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useAuth } from '@/auth/use-auth';
import { useRecordNavigate } from '@/list/record-link';
import type { RowActions } from '@/list/resource';
import { ResourceList } from '@/list/resource-list';
import { useNarrowScreen } from '@/ui/use-narrow-screen';
import { ResetLinkDialog } from '@/domain/reset-links';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button, IconButton } from '@/ui/button';
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from '@/ui/dropdown-menu';
import type { UserRow } from './queries';
import { StatusDialog } from './user';
import { usersResource } from './user-list';

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
              <Link
                to={routes.auditEntries()}
                aria-label={t('audit.link')}
                data-tip={narrow ? t('audit.link') : undefined}
              >
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

interface UserMenuProps {
  user: UserRow;
  onResetLink: (user: UserRow) => void;
  onStatus: (user: UserRow) => void;
}

function UserMenu({ user, onResetLink, onStatus }: UserMenuProps) {
  const { t } = useTranslation('users');
  const navigate = useRecordNavigate();
  const { currentUser } = useAuth();
  const { id, username } = user;
  const isOwn = id === currentUser?.id;
  const isDisabled = user.status === 'disabled';
  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild>
        <IconButton icon={Ellipsis} size={28} label={t('menu.open', { username })} />
      </DropdownMenuTrigger>
      <DropdownMenuContent>
        <DropdownMenuItem icon={Eye} onSelect={() => void navigate(routes.viewUser({ id }))}>
          {t('menu.view')}
        </DropdownMenuItem>
        <DropdownMenuItem
          icon={ShieldCheck}
          onSelect={() => void navigate(routes.editUserRoles({ id }))}
        >
          {t('menu.roles')}
        </DropdownMenuItem>
        <DropdownMenuItem icon={KeyRound} disabled={isDisabled} onSelect={() => onResetLink(user)}>
          {t('menu.resetLink')}
        </DropdownMenuItem>
        <DropdownMenuSeparator />
        {isDisabled ? (
          <DropdownMenuItem icon={CircleCheck} onSelect={() => onStatus(user)}>
            {t('enable.verb')}
          </DropdownMenuItem>
        ) : (
          <DropdownMenuItem
            danger={!isOwn}
            icon={CircleSlash}
            disabled={isOwn}
            onSelect={() => onStatus(user)}
          >
            {t(isOwn ? 'disable.notOneself' : 'disable.verb')}
          </DropdownMenuItem>
        )}
      </DropdownMenuContent>
    </DropdownMenu>
  );
}
