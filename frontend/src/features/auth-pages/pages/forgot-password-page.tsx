import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { normalizeError } from '@/data/errors';
import { navigationRecords } from '@/navigation/records';
import { routes } from '@/routing/routes';
import { Note } from '@/ui/note';
import { AuthLayout } from '../components/auth-layout';
import { AuthLink } from '../components/auth-link';
import { ForgotForm } from '../components/forgot-form';
import { ForgotSent } from '../components/forgot-sent';
import { FormSkeleton } from '../components/form-skeleton';
import { LoadFailure } from '../components/load-failure';
import { NextStep } from '../components/next-step';
import { sendsMailQuery } from '../queries';

export default function ForgotPasswordPage() {
  const { t } = useTranslation('auth');
  const [isSent, setSent] = useState(false);
  const [{ data, error }, retry] = useQuery({
    query: sendsMailQuery,
    requestPolicy: 'network-only',
  });
  return (
    <AuthLayout record={navigationRecords.forgotPassword}>
      {!data && !error && <FormSkeleton fields={1} />}
      {!data && error && <LoadFailure failure={normalizeError(error)} onRetry={() => retry()} />}
      {data && !data.sendsMail && (
        <>
          <Note tone="info" role="status">
            {t('forgot.noMail')}
          </Note>
          <NextStep to={routes.login()}>{t('goToLogin')}</NextStep>
        </>
      )}
      {data?.sendsMail && isSent && <ForgotSent />}
      {data?.sendsMail && !isSent && (
        <>
          <ForgotForm onSent={() => setSent(true)} />
          <p className="mt-6 text-sm text-muted">
            {t('forgot.remembered')} <AuthLink to={routes.login()}>{t('goToLogin')}</AuthLink>
          </p>
        </>
      )}
    </AuthLayout>
  );
}
