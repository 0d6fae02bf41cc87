import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Form } from '@/form/form';
import { FormSummary } from '@/form/form-summary';
import { PasswordField } from '@/form/password-field';
import { passwordRules } from '@/form/secret-rules';
import { SubmitButton } from '@/form/submit-button';
import { TextField } from '@/form/text-field';
import { accountRules } from '../account-rules';
import { type AdminValues, useCreateAdmin } from '../use-create-admin';
import { EmailField } from './email-field';
import { UsernameField } from './username-field';

interface CreateAdminFormProps {
  /** From the address the server printed. */
  setupToken: string;
  setupTokenNeeded: boolean;
}

export function CreateAdminForm({ setupToken, setupTokenNeeded }: CreateAdminFormProps) {
  const { t } = useTranslation('auth');
  const form = useForm<AdminValues>({
    defaultValues: { username: '', email: '', password: '', setupToken },
  });
  const { register } = form;
  const { errors, isSubmitting } = form.formState;
  const { failure, submit } = useCreateAdmin(form.setError);
  const asksToken = setupTokenNeeded && (!setupToken || Boolean(errors.setupToken));

  return (
    <Form form={form} onSubmit={submit}>
      <FormSummary failure={failure} />
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
