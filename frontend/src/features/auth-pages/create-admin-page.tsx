import { useState } from 'react';
import { useForm, type UseFormSetError } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Navigate, useNavigate } from 'react-router';
import { useMutation, useQuery } from 'urql';
import { useAuth } from '@/auth/use-auth';
import { type AppError, normalizeError } from '@/data/errors';
import { Form, FormFields, FormSummary, SubmitButton } from '@/form/form';
import { PasswordField } from '@/form/secret-fields';
import { passwordRules } from '@/form/secret-rules';
import { showFieldErrors } from '@/form/use-save';
import { TextField } from '@/form/fields';
import { routes } from '@/routing/routes';
import { navigationRecords } from '@/shell/records';
import { Note } from '@/ui/note';
import { toast } from '@/ui/toast';
import {
  accountRules,
  EmailField,
  outcomeOf,
  toastFailure,
  UsernameField,
  useSecretParam,
} from './account-fields';
import { AuthLayout, FormSkeleton, LoadFailure, NextStep } from './auth-layout';
import { adminNeededQuery, createAdminMutation } from './queries';

interface AdminValues {
  username: string;
  email: string;
  password: string;
  setupToken: string;
}

const FIELDS = ['setupToken', 'username', 'email', 'password'] as const;

/** Creates the first account and signs in; server errors are shown at their fields. */
function useCreateAdmin(setError: UseFormSetError<AdminValues>) {
  const { t } = useTranslation('auth');
  const { logIn } = useAuth();
  const [, createAdmin] = useMutation(createAdminMutation);
  const navigate = useNavigate();
  const [failure, setFailure] = useState<AppError>();
  const [isTokenRefused, setTokenRefused] = useState(false);

  async function submit({ setupToken, ...account }: AdminValues) {
    setFailure(undefined);
    const { error } = await createAdmin({
      input: { ...account, ...(setupToken && { setupToken }) },
    });
    if (error) {
      const failed = normalizeError(error);
      setFailure(failed);
      if (failed.fields.setupToken) setTokenRefused(true);
      showFieldErrors(failed, FIELDS, setError);
      return;
    }
    toast.success(t('created'));
    const { username, password } = account;
    const outcome = await outcomeOf(() => logIn({ username, password }));
    if (outcome.is !== 'refused') return;
    // The account exists now, so leave the form.
    toastFailure(outcome.failure);
    await navigate(routes.login());
  }

  return { failure, isTokenRefused, submit };
}

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

interface CreateAdminFormProps {
  /** The setup token from the URL that the server printed at startup. */
  setupToken: string;
  setupTokenNeeded: boolean;
}

function CreateAdminForm({ setupToken, setupTokenNeeded }: CreateAdminFormProps) {
  const { t } = useTranslation('auth');
  const form = useForm<AdminValues>({
    defaultValues: { username: '', email: '', password: '', setupToken },
  });
  const { register } = form;
  const { errors, isSubmitting } = form.formState;
  const { failure, isTokenRefused, submit } = useCreateAdmin(form.setError);
  const asksToken = setupTokenNeeded && (!setupToken || isTokenRefused);

  return (
    <Form form={form} onSubmit={submit}>
      <FormSummary failure={failure} />
      <FormFields>
        {asksToken && (
          <TextField
            {...register('setupToken', { required: true })}
            size={40}
            label={t('setupToken')}
            hint={t('setupTokenHint')}
            error={errors.setupToken}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
        )}
        <UsernameField {...register('username', accountRules.username)} error={errors.username} />
        <EmailField {...register('email', accountRules.email)} error={errors.email} />
        <PasswordField
          {...register('password', passwordRules)}
          size={40}
          label={t('password')}
          hint={t('passwordHint')}
          error={errors.password}
          autoComplete="new-password"
        />
      </FormFields>
      <SubmitButton
        busy={isSubmitting}
        label={t('create')}
        busyLabel={t('creating')}
        size={40}
        className="w-full"
      />
    </Form>
  );
}
