import { useTranslation } from 'react-i18next';
import { Link, Navigate } from 'react-router';
import { useQuery } from 'urql';
import { useAuth } from '@/auth/use-auth';
import { normalizeError } from '@/data/errors';
import { navigationRecords } from '@/navigation/records';
import { useRouteParams } from '@/routing/route-params';
import { routes } from '@/routing/routes';
import { Button } from '@/ui/button';
import { Note } from '@/ui/note';
import { AuthLayout } from '../components/auth-layout';
import { CreateAdminForm } from '../components/create-admin-form';
import { adminNeededQuery } from '../queries';

export default function CreateAdminPage() {
  const { t } = useTranslation(['auth', 'common']);
  const { isAuthenticated } = useAuth();
  const { setupToken = '' } = useRouteParams('createAdmin');
  const [{ data, error }, retry] = useQuery({
    query: adminNeededQuery,
    requestPolicy: 'network-only',
  });
  if (isAuthenticated) return <Navigate to="/" replace />;

  return (
    <AuthLayout record={navigationRecords.createAdmin}>
      {!data && !error && <p className="text-sm text-muted">{t('loading')}</p>}
      {error && !data && (
        <Note
          tone="bad"
          role="alert"
          action={
            <Button size={28} onClick={() => retry()}>
              {t('retry', { ns: 'common' })}
            </Button>
          }
        >
          {normalizeError(error).message}
        </Note>
      )}
      {data && !data.adminNeeded.needed && (
        <>
          <Note title={t('exists')}>{t('existsText')}</Note>
          <Button asChild variant="primary" size={40} className="mt-5 w-full">
            <Link to={routes.login()}>{t('goToLogin')}</Link>
          </Button>
        </>
      )}
      {data?.adminNeeded.needed && (
        <CreateAdminForm
          setupToken={setupToken}
          setupTokenNeeded={data.adminNeeded.setupTokenNeeded}
        />
      )}
    </AuthLayout>
  );
}
