import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { useAuth } from '@/auth/use-auth';
import { normalizeError } from '@/data/errors';
import { navigationRecords } from '@/navigation/records';
import { routes } from '@/routing/routes';
import { AuthLayout } from '../components/auth-layout';
import { AuthLink } from '../components/auth-link';
import { FormSkeleton } from '../components/form-skeleton';
import { LoadFailure } from '../components/load-failure';
import { NextStep } from '../components/next-step';
import { RegisterForm } from '../components/register-form';
import { RegisterSignedIn } from '../components/register-signed-in';
import { SignedUp } from '../components/signed-up';
import { SignUpState } from '../components/sign-up-state';
import { signUpPolicyQuery } from '../queries';

export default function RegisterPage() {
  const { t } = useTranslation('auth');
  const { isAuthenticated } = useAuth();
  const [{ data, error }, retry] = useQuery({
    query: signUpPolicyQuery,
    requestPolicy: 'network-only',
  });
  const policy = data?.signUpPolicy;
  const [done, setDone] = useState<string>();

  if (done !== undefined) {
    return (
      <AuthLayout record={navigationRecords.register}>
        <SignedUp text={done} />
      </AuthLayout>
    );
  }
  return (
    <AuthLayout record={navigationRecords.register}>
      {!policy && !error && <FormSkeleton fields={4} />}
      {!policy && error && <LoadFailure failure={normalizeError(error)} onRetry={() => retry()} />}
      {policy && <SignUpState policy={policy} />}
      {policy && isAuthenticated && <RegisterSignedIn />}
      {policy === 'off' && !isAuthenticated && (
        <NextStep to={routes.login()}>{t('goToLogin')}</NextStep>
      )}
      {policy === 'pending' && !isAuthenticated && (
        <div className="mt-5">
          <RegisterForm onDone={setDone} />
          <p className="mt-6 text-sm text-muted">
            {t('register.hasAccountQuestion')}{' '}
            <AuthLink to={routes.login()}>{t('goToLogin')}</AuthLink>
          </p>
        </div>
      )}
    </AuthLayout>
  );
}
