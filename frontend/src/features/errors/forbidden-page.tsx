import { CircleUser, LayoutDashboard } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation, useNavigate } from 'react-router';
import { OFFICE_ROLES } from '@/auth/roles';
import { useAuth, useRoleName } from '@/auth/use-auth';
import type { NavigationRecord } from '@/navigation/records';
import { findRecord } from '@/navigation/current-record';
import { readRedirectTo } from '@/routing/redirect-to';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { StateView } from '@/ui/state-view';
import { toast } from '@/ui/toast';

interface RefusedPage {
  /** As the guard left it, if it is one of this site. */
  address?: string;
  record?: NavigationRecord;
}

/** Returns the page that was refused. */
function useRefusedPage(): RefusedPage {
  const address = readRedirectTo(useLocation().search);
  if (address === undefined) return {};
  const record = findRecord(address.replace(/[?#].*$/, ''));
  return { address, ...(record && { record }) };
}

export default function ForbiddenPage() {
  const { t } = useTranslation(['errors', 'navigation', 'shell']);
  const { currentUser, hasRole, logOut } = useAuth();
  const roleName = useRoleName();
  const navigate = useNavigate();
  const { address, record } = useRefusedPage();
  const held = [currentUser?.roles ?? []].flat();
  const wanted = [record?.roles ?? []].flat();
  const role = (roles: readonly string[]) =>
    t('forbidden.role', { count: roles.length, list: roles.map(roleName).join(', ') });
  const isOfOffice = hasRole(OFFICE_ROLES);

  async function switchUser() {
    try {
      await logOut();
    } catch {
      toast.error(t('logoutFailed', { ns: 'shell' }));
    }
    // Whoever comes next was sent for this page.
    const back = address === undefined ? {} : { redirectTo: address };
    await navigate(routes.login(back), { replace: true });
  }

  return (
    <PageFrame className="justify-center">
      <StateView
        kind="forbidden"
        title={t('forbidden.heading')}
        text={
          <>
            {record && wanted.length > 0 && (
              <p>
                {t('forbidden.needs', {
                  count: wanted.length,
                  page: t(record.title, { ns: 'navigation' }),
                  list: wanted.map(roleName).join(', '),
                })}
              </p>
            )}
            <p>
              {t('forbidden.who', { username: currentUser?.username, roles: role(held) })}
            </p>
            <p>{t(isOfOffice ? 'forbidden.ask' : 'forbidden.askRole')}</p>
          </>
        }
        actions={
          <>
            {isOfOffice ? (
              <Button asChild variant="primary" size={36} icon={LayoutDashboard}>
                <Link to="/">{t('forbidden.home')}</Link>
              </Button>
            ) : (
              <Button asChild variant="primary" size={36} icon={CircleUser}>
                <Link to={routes.account()}>{t('forbidden.account')}</Link>
              </Button>
            )}
            <Button size={36} onClick={() => void switchUser()}>
              {t('forbidden.switch')}
            </Button>
          </>
        }
      />
    </PageFrame>
  );
}
