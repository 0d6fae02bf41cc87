import { useTranslation } from 'react-i18next';
import { Navigate } from 'react-router';
import { useQuery } from 'urql';
import { useAuth } from '@/auth/use-auth';
import { navigationRecords } from '@/navigation/records';
import { routes } from '@/routing/routes';
import { AuthLayout } from '../components/auth-layout';
import { AuthLink } from '../components/auth-link';
import { FirstRunNote } from '../components/first-run-note';
import { LoginForm } from '../components/login-form';
import { signInOptionsQuery } from '../queries';
import { useAfterLogin } from '../use-after-login';

export default function LoginPage() {
  const { t } = useTranslation('auth');
  const { isAuthenticated } = useAuth();
  const target = useAfterLogin();
  const [{ data }] = useQuery({ query: signInOptionsQuery });
  if (isAuthenticated) return <Navigate to={target} replace />;
  const isOpen = data?.signUpPolicy === 'pending';
  return (
    <AuthLayout record={navigationRecords.login}>
      {data?.adminNeeded.needed && <FirstRunNote />}
      <LoginForm />
      <p className="mt-6 text-sm text-muted">
        {isOpen ? (
          <>
            {t('needAccountOpen')} <AuthLink to={routes.register()}>{t('signUp')}</AuthLink>
          </>
        ) : (
          t('needAccount')
        )}
      </p>
    </AuthLayout>
  );
}
