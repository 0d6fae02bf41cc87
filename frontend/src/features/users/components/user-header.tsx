import { ScrollText, ShieldCheck } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { encodeFilters } from '@/list/filters-codec';
import { routes } from '@/routing/routes';
import { Avatar } from '@/ui/avatar';
import { Button } from '@/ui/button';
import { StatusChip } from '@/ui/status-chip';
import type { User } from '../queries';

/** The audit log with what was done to this account alone. */
function auditAddress(username: string): string {
  const values = [{ label: username, value: username }];
  return routes.auditEntries({
    filters: encodeFilters([{ key: 'entityName', operator: 'equals', values }]),
  });
}

export function UserHeader({ user }: { user: User }) {
  const { t } = useTranslation('users');
  const { id, username, displayName, status } = user;
  return (
    <div className="mb-4 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-2">
      <Avatar name={username} muted={status === 'disabled'} />
      <h2 className="-ml-0.5 text-xl font-semibold wrap-anywhere">{username}</h2>
      <StatusChip kind="user" status={status} size={24} />
      {displayName && <span className="text-sm text-muted">{displayName}</span>}
      <div className="ml-auto flex flex-wrap gap-2 max-md:ml-0">
        <Button asChild icon={ScrollText}>
          <Link to={auditAddress(username)}>{t('audit.about')}</Link>
        </Button>
        <Button asChild icon={ShieldCheck}>
          <Link to={routes.editUserRoles({ id })}>{t('roles.edit')}</Link>
        </Button>
      </div>
    </div>
  );
}
