import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { ruleMessage } from '@/form/rule-message';
import { Button } from '@/ui/button';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { type AdminValues, useCreateAdmin } from '../use-create-admin';
import { FormSummary } from './form-summary';
import { PasswordInput } from './password-input';

// Whoever types an address is not asked for more than the server asks for.
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

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
  const { register, handleSubmit } = form;
  const { errors, isSubmitting } = form.formState;
  const { failure, submit } = useCreateAdmin(form.setError);
  const asksToken = setupTokenNeeded && (!setupToken || Boolean(errors.setupToken));

  return (
    <form noValidate onSubmit={(event) => void handleSubmit(submit)(event)}>
      {failure && <FormSummary failure={failure} />}
      <div className="flex flex-col gap-4">
        {asksToken && (
          <Field
            label={t('setupToken')}
            hint={t('setupTokenHint')}
            error={ruleMessage(t('setupToken'), errors.setupToken)}
            required
          >
            <Input
              {...register('setupToken', { required: true })}
              size={40}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
            />
          </Field>
        )}
        <Field label={t('username')} error={ruleMessage(t('username'), errors.username)} required>
          <Input
            {...register('username', { required: true })}
            size={40}
            autoComplete="username"
            autoCapitalize="none"
            autoCorrect="off"
            spellCheck={false}
          />
        </Field>
        <Field label={t('email')} error={ruleMessage(t('email'), errors.email)} required>
          <Input
            {...register('email', { required: true, pattern: EMAIL })}
            type="email"
            size={40}
            autoComplete="email"
          />
        </Field>
        <Field
          label={t('password')}
          hint={t('passwordHint')}
          error={ruleMessage(t('password'), errors.password)}
          required
        >
          <PasswordInput
            {...register('password', { required: true, minLength: 8, maxLength: 128 })}
            size={40}
            autoComplete="new-password"
          />
        </Field>
        <Button type="submit" variant="primary" size={40} disabled={isSubmitting} className="w-full">
          {t(isSubmitting ? 'creating' : 'create')}
        </Button>
      </div>
    </form>
  );
}
