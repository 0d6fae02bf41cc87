import { Navigate } from 'react-router';
import { useTranslation } from 'react-i18next';
import { useAuth } from '@/auth/use-auth';
import { navigationRecords } from '@/navigation/records';
import { AuthLayout } from '../components/auth-layout';
import { FirstRunNote } from '../components/first-run-note';
import { LoginForm } from '../components/login-form';
import { useAfterLogin } from '../use-after-login';

export default function LoginPage() {
  const { t } = useTranslation('auth');
  const { isAuthenticated } = useAuth();
  const target = useAfterLogin();
  if (isAuthenticated) return <Navigate to={target} replace />;
  return (
    <AuthLayout record={navigationRecords.login}>
      <FirstRunNote />
      <LoginForm />
      <p className="mt-6 text-sm text-muted">{t('needAccount')}</p>
    </AuthLayout>
  );
}
