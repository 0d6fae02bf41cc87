import { useTranslation } from 'react-i18next';
import { navigationRecords } from '@/navigation/records';
import { AuthLayout } from '../components/auth-layout';
import { DeadLink } from '../components/dead-link';
import { FormSkeleton } from '../components/form-skeleton';
import { LoadFailure } from '../components/load-failure';
import { ResetForm } from '../components/reset-form';
import { useResetLink } from '../use-reset-link';
import { useSecretParam } from '../use-secret-param';

export default function ResetPasswordPage() {
  const { t } = useTranslation('auth');
  const token = useSecretParam('resetToken');
  const { state, check, retry } = useResetLink(token);
  const isPin = state.is === 'good' && state.kind === 'pin';
  return (
    <AuthLayout
      record={navigationRecords.resetPassword}
      title={isPin ? t('reset.pin.title') : undefined}
    >
      {state.is === 'checking' && <FormSkeleton fields={2} />}
      {state.is === 'unknown' && <LoadFailure failure={state.failure} onRetry={retry} />}
      {state.is === 'dead' && <DeadLink reason={state.reason} />}
      {state.is === 'good' && (
        <ResetForm token={token} kind={state.kind} onRefused={() => void check()} />
      )}
    </AuthLayout>
  );
}
