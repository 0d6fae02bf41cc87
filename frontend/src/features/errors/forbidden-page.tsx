import { CircleUser, LayoutDashboard } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation, useNavigate } from 'react-router';
import { OFFICE_ROLES } from '@/auth/roles';
import { useAuth, useRoleName } from '@/auth/use-auth';
import { useText } from '@/i18n/texts';
import { readRedirectTo } from '@/routing/redirect-to';
import { routes } from '@/routing/routes';
import { findRecord } from '@/shell/current-record';
import { PageFrame } from '@/shell/page-frame';
import type { NavigationRecord } from '@/shell/records';
import { Button } from '@/ui/button';
import { StateView } from '@/ui/state-view';
import { toast } from '@/ui/toast';

interface RefusedPage {
  /** The address of the page to which access was denied, if it is on this site. */
  address?: string;
  record?: NavigationRecord;
}

/** Returns the page to which access was denied. */
function useRefusedPage(): RefusedPage {
  const address = readRedirectTo(useLocation().search);
  if (address === undefined) return {};
  const record = findRecord(address.replace(/[?#].*$/, ''));
  return { address, ...(record && { record }) };
}

export default function ForbiddenPage() {
  const { t } = useTranslation(['errors', 'shell']);
  const textOf = useText();
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
    // After signing in with another account, open the requested page.
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
                  page: textOf(record.title),
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
