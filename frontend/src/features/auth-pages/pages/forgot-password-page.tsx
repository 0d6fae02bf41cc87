import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { navigationRecords } from '@/navigation/records';
import { routes } from '@/routing/routes';
import { AuthLayout } from '../components/auth-layout';
import { AuthLink } from '../components/auth-link';
import { ForgotForm } from '../components/forgot-form';
import { ForgotSent } from '../components/forgot-sent';

export default function ForgotPasswordPage() {
  const { t } = useTranslation('auth');
  const [isSent, setSent] = useState(false);
  return (
    <AuthLayout record={navigationRecords.forgotPassword}>
      {isSent ? (
        <ForgotSent />
      ) : (
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
