import { useEffect, useRef, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { useAuth } from '@/auth/use-auth';
import { normalizeError } from '@/data/errors';
import { Form, FormFields, SubmitButton } from '@/form/form';
import { routes } from '@/routing/routes';
import { navigationRecords } from '@/shell/records';
import { Note } from '@/ui/note';
import { Refusal, useReply, UsernameField } from './account-fields';
import { AuthLayout, AuthLink, FormSkeleton, LoadFailure, NextStep } from './auth-layout';
import { sendsMailQuery } from './queries';

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

/** Requests a reset link. The response is the same for every user name. */
function ForgotForm({ onSent }: { onSent: () => void }) {
  const { t } = useTranslation('auth');
  const { forgotPassword } = useAuth();
  const { failure, ask } = useReply();
  const form = useForm({ defaultValues: { username: '' } });
  const { errors, isSubmitting } = form.formState;

  async function submit({ username }: { username: string }) {
    const { is } = await ask(() => forgotPassword(username));
    if (is !== 'refused') onSent();
  }

  return (
    <Form form={form} onSubmit={submit}>
      <Refusal failure={failure} />
      <FormFields>
        <div data-redwood-route-focus>
          <UsernameField
            {...form.register('username', { required: true })}
            error={errors.username}
          />
        </div>
      </FormFields>
      <SubmitButton
        busy={isSubmitting}
        label={t('forgot.send')}
        busyLabel={t('forgot.sending')}
        size={40}
        className="w-full"
      />
    </Form>
  );
}

/** The page is the same for every user name, so that it does not reveal which accounts exist. */
function ForgotSent() {
  const { t } = useTranslation('auth');
  const box = useRef<HTMLDivElement>(null);

  // The form that had the focus was removed, so focus the note.
  useEffect(() => box.current?.focus(), []);

  return (
    <>
      <Note ref={box} tone="ok" role="status" title={t('forgot.sentTitle')}>
        <p>{t('forgot.sent')}</p>
        <p className="mt-2">{t('forgot.nothing')}</p>
      </Note>
      <NextStep to={routes.login()}>{t('goToLogin')}</NextStep>
    </>
  );
}
