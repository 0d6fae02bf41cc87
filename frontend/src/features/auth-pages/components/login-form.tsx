import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { Credentials } from '@/auth/auth-client';
import { useAuth } from '@/auth/use-auth';
import { normalizeError } from '@/data/errors';
import { ruleMessage } from '@/form/rule-message';
import { Button } from '@/ui/button';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { Note } from '@/ui/note';
import { toast } from '@/ui/toast';
import { PasswordInput } from './password-input';

export function LoginForm() {
  const { t } = useTranslation('auth');
  const { logIn, hasError, error: authError } = useAuth();
  const [failure, setFailure] = useState('');
  const { register, handleSubmit, formState } = useForm<Credentials>({
    defaultValues: { username: '', password: '' },
  });
  const { errors, isSubmitting } = formState;

  function fail(message: string) {
    setFailure(message);
    toast.error(message);
  }

  async function submit(credentials: Credentials) {
    setFailure('');
    try {
      const reply = await logIn(credentials);
      if (reply.message) toast(reply.message);
      else if (reply.error) fail(reply.error);
    } catch (cause) {
      fail(normalizeError(cause).message);
    }
  }

  const shown = failure || (hasError && authError?.message);
  return (
    <form noValidate onSubmit={(event) => void handleSubmit(submit)(event)}>
      {shown && (
        <Note tone="bad" role="alert" className="mb-5">
          {shown}
        </Note>
      )}
      <div className="flex flex-col gap-4">
        <Field label={t('username')} error={ruleMessage(t('username'), errors.username)} required>
          <span data-redwood-route-focus className="flex">
            <Input
              {...register('username', { required: true })}
              size={40}
              className="flex-1"
              autoComplete="username"
              autoCapitalize="none"
              autoCorrect="off"
              spellCheck={false}
            />
          </span>
        </Field>
        <Field label={t('password')} error={ruleMessage(t('password'), errors.password)} required>
          <PasswordInput
            {...register('password', { required: true })}
            size={40}
            autoComplete="current-password"
          />
        </Field>
        <Button type="submit" variant="primary" size={40} disabled={isSubmitting} className="w-full">
          {t(isSubmitting ? 'loggingIn' : 'login')}
        </Button>
      </div>
    </form>
  );
}
