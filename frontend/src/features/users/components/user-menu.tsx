import { CircleCheck, CircleSlash, Ellipsis, Eye, KeyRound, ShieldCheck } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useAuth } from '@/auth/use-auth';
import { routes } from '@/routing/routes';
import { IconButton } from '@/ui/button';
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from '@/ui/dropdown-menu';
import type { UserRow } from '../queries';

interface UserMenuProps {
  user: UserRow;
  onResetLink: (user: UserRow) => void;
  onStatus: (user: UserRow) => void;
}

export function UserMenu({ user, onResetLink, onStatus }: UserMenuProps) {
  const { t } = useTranslation('users');
  const navigate = useNavigate();
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
