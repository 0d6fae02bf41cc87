import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { Credentials } from '@/auth/auth-client';
import { useAuth } from '@/auth/use-auth';
import { Form } from '@/form/form';
import { PasswordField } from '@/form/password-field';
import { SubmitButton } from '@/form/submit-button';
import { routes } from '@/routing/routes';
import { useReply } from '../use-reply';
import { Refusal } from './refusal';
import { UsernameField } from './username-field';

export function LoginForm() {
  const { t } = useTranslation('auth');
  const { logIn, hasError, error: authError } = useAuth();
  const { failure, ask } = useReply();
  const form = useForm<Credentials>({ defaultValues: { username: '', password: '' } });
  const { errors, isSubmitting } = form.formState;

  async function submit(credentials: Credentials) {
    await ask(() => logIn(credentials));
  }

  return (
    <Form form={form} onSubmit={submit}>
      <Refusal failure={failure} fallback={hasError ? authError?.message : undefined} />
      <div data-redwood-route-focus>
        <UsernameField
          {...form.register('username', { required: true })}
          error={errors.username}
        />
      </div>
      <div className="relative">
        <PasswordField
          {...form.register('password', { required: true })}
          size={40}
          label={t('password')}
          error={errors.password}
          autoComplete="current-password"
        />
        {/* Behind the box, so that the way from the name leads to the password. */}
        <Link
          to={routes.forgotPassword()}
          className="absolute -top-1 right-0 py-1 text-sm font-medium text-accent hover:underline"
        >
          {t('forgotPassword')}
        </Link>
      </div>
      <SubmitButton
        busy={isSubmitting}
        label={t('login')}
        busyLabel={t('loggingIn')}
        size={40}
        className="w-full"
      />
    </Form>
  );
}
