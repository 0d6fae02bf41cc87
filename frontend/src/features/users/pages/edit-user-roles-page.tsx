import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useRouteParams } from '@/routing/route-params';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Avatar } from '@/ui/avatar';
import { StatusChip } from '@/ui/status-chip';
import { EditRolesForm } from '../components/edit-roles-form';
import { RolesSkeleton } from '../components/roles-skeleton';
import { UserState } from '../components/user-state';
import { useUser } from '../use-user';

export default function EditUserRolesPage() {
  const { t } = useTranslation('users');
  const { id } = useRouteParams('editUserRoles');
  const result = useUser(id);
  return (
    <PageFrame>
      <UserState result={result} loading={<RolesSkeleton />}>
        {(user) => (
          <>
            <div className="mb-4 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-2">
              <Avatar name={user.username} muted={user.status === 'disabled'} />
              <h2 className="-ml-0.5 text-xl font-semibold wrap-anywhere">
                <Link to={routes.viewUser({ id })} className="hover:underline">
                  {user.username}
                </Link>
              </h2>
              <StatusChip kind="user" status={user.status} size={24} />
              {user.displayName && (
                <span className="text-sm text-muted">
                  <span className="sr-only">{t('fields.displayName')}: </span>
                  {user.displayName}
                </span>
              )}
            </div>
            <EditRolesForm key={user.id} user={user} onReload={result.retry} />
          </>
        )}
      </UserState>
    </PageFrame>
  );
}
