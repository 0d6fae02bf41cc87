import { CircleUser, LayoutDashboard } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router';
import { OFFICE_ROLES } from '@/auth/roles';
import { useAuth, useRoleName } from '@/auth/use-auth';
import { useText } from '@/i18n/texts';
import { readRedirectTo } from '@/routing/redirect-to';
import { routes } from '@/routing/routes';
import { findRecord } from '@/shell/current-record';
import { PageFrame } from '@/shell/page-frame';
import type { NavigationRecord } from '@/shell/records';
import { useSignOut } from '@/shell/use-sign-out';
import { Button } from '@/ui/button';
import { StateView } from '@/ui/state-view';

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
  const { t } = useTranslation('errors');
  const textOf = useText();
  const { currentUser, hasRole } = useAuth();
  const roleName = useRoleName();
  const signOut = useSignOut();
  const { address, record } = useRefusedPage();
  const held = [currentUser?.roles ?? []].flat();
  const wanted = [record?.roles ?? []].flat();
  const role = (roles: readonly string[]) =>
    t('forbidden.role', { count: roles.length, list: roles.map(roleName).join(', ') });
  const isOfOffice = hasRole(OFFICE_ROLES);

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
            <Button size={36} onClick={() => void signOut(address)}>
              {t('forbidden.switch')}
            </Button>
          </>
        }
      />
    </PageFrame>
  );
}
