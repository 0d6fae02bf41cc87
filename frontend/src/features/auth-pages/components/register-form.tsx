import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useAuth } from '@/auth/use-auth';
import { Form } from '@/form/form';
import { FormSummary } from '@/form/form-summary';
import { PasswordField } from '@/form/password-field';
import { passwordRules, repeatRules } from '@/form/secret-rules';
import { showFieldErrors } from '@/form/server-errors';
import { SubmitButton } from '@/form/submit-button';
import { accountRules } from '../account-rules';
import { useReply } from '../use-reply';
import { EmailField } from './email-field';
import { UsernameField } from './username-field';

interface RegisterValues {
  username: string;
  email: string;
  password: string;
  repeat: string;
}

const FIELDS = ['username', 'email', 'password'] as const;

/** Makes an account. What the server says of it stays when its toast has gone. */
export function RegisterForm({ onDone }: { onDone: (text: string) => void }) {
  const { t } = useTranslation('auth');
  const { signUp } = useAuth();
  const { failure, ask } = useReply();
  const form = useForm<RegisterValues>({
    defaultValues: { username: '', email: '', password: '', repeat: '' },
  });
  const { register } = form;
  const { errors, isSubmitting } = form.formState;

  async function submit({ username, email, password }: RegisterValues) {
    const outcome = await ask(() => signUp({ username, email, password }));
    if (outcome.is === 'refused') showFieldErrors(outcome.failure, FIELDS, form.setError);
    else onDone(outcome.is === 'news' ? outcome.message : t('register.done'));
  }

  return (
    <Form form={form} onSubmit={submit}>
      <FormSummary failure={failure} />
      <UsernameField {...register('username', accountRules.username)} error={errors.username} />
      <EmailField {...register('email', accountRules.email)} error={errors.email} />
      <PasswordField
        {...register('password', { ...passwordRules, deps: ['repeat'] })}
        size={40}
        label={t('password')}
        hint={t('passwordHint')}
        error={errors.password}
        autoComplete="new-password"
      />
      <PasswordField
        {...register('repeat', repeatRules<RegisterValues>('password', t('repeatDiffers')))}
        size={40}
        label={t('repeat')}
        what={t('what.repeated.password')}
        error={errors.repeat}
        autoComplete="new-password"
      />
      <SubmitButton
        busy={isSubmitting}
        label={t('register.submit')}
        busyLabel={t('register.submitting')}
        size={40}
        className="w-full"
      />
    </Form>
  );
}
