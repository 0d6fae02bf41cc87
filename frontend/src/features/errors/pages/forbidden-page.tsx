import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router';
import { useAuth } from '@/auth/use-auth';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { StateView } from '@/ui/state-view';

export default function ForbiddenPage() {
  const { t } = useTranslation('errors');
  const { currentUser, logOut } = useAuth();
  const navigate = useNavigate();
  const roles = [currentUser?.roles ?? []].flat();

  async function switchUser() {
    try {
      await logOut();
    } finally {
      await navigate(routes.login(), { replace: true });
    }
  }

  return (
    <PageFrame className="justify-center">
      <StateView
        kind="forbidden"
        title={t('forbidden.heading')}
        text={
          <>
            <p>
              {t('forbidden.who', {
                username: currentUser?.username,
                roles: t('forbidden.role', { count: roles.length, list: roles.join(', ') }),
              })}
            </p>
            <p>{t('forbidden.ask')}</p>
          </>
        }
        actions={
          <>
            <Button asChild variant="primary" size={36}>
              <Link to="/">{t('forbidden.home')}</Link>
            </Button>
            <Button size={36} onClick={() => void switchUser()}>
              {t('forbidden.switch')}
            </Button>
          </>
        }
      />
    </PageFrame>
  );
}
