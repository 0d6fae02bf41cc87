import { useTranslation } from 'react-i18next';
import { Navigate } from 'react-router';
import { useQuery } from 'urql';
import { useAuth } from '@/auth/use-auth';
import { normalizeError } from '@/data/errors';
import { navigationRecords } from '@/navigation/records';
import { routes } from '@/routing/routes';
import { Note } from '@/ui/note';
import { AuthLayout } from '../components/auth-layout';
import { CreateAdminForm } from '../components/create-admin-form';
import { FormSkeleton } from '../components/form-skeleton';
import { LoadFailure } from '../components/load-failure';
import { NextStep } from '../components/next-step';
import { adminNeededQuery } from '../queries';
import { useSecretParam } from '../use-secret-param';

export default function CreateAdminPage() {
  const { t } = useTranslation('auth');
  const { isAuthenticated } = useAuth();
  const setupToken = useSecretParam('setupToken');
  const [{ data, error }, retry] = useQuery({
    query: adminNeededQuery,
    requestPolicy: 'network-only',
  });
  if (isAuthenticated) return <Navigate to="/" replace />;

  return (
    <AuthLayout record={navigationRecords.createAdmin}>
      {!data && !error && <FormSkeleton fields={3} />}
      {error && !data && (
        <LoadFailure failure={normalizeError(error)} onRetry={() => retry()} />
      )}
      {data && !data.adminNeeded.needed && (
        <>
          <Note title={t('exists')}>{t('existsText')}</Note>
          <NextStep to={routes.login()}>{t('goToLogin')}</NextStep>
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
