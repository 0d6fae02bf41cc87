import { useEffect } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Link, Navigate, useLocation } from 'react-router';
import { useQuery } from 'urql';
import { type Credentials, SignOutPendingError } from '@/auth/auth-client';
import { OfficeUnknownError } from '@/auth/auth-store';
import { useAuth } from '@/auth/use-auth';
import { Form, SubmitButton } from '@/form/form';
import { PasswordField } from '@/form/secret-fields';
import { readRedirectTo } from '@/routing/redirect-to';
import { routes } from '@/routing/routes';
import { navigationRecords } from '@/shell/records';
import { Note } from '@/ui/note';
import { Refusal, useReply, UsernameField } from './account-fields';
import { AuthLayout, AuthLink } from './auth-layout';
import { signInOptionsQuery } from './queries';

const RETRY_MS = 5000;

/** Returns the address to open after sign-in. */
function useAfterLogin(): string {
  return readRedirectTo(useLocation().search) ?? '/';
}

export default function LoginPage() {
  const { t } = useTranslation('auth');
  const { isAuthenticated } = useAuth();
  const target = useAfterLogin();
  const [{ data }] = useQuery({ query: signInOptionsQuery });
  if (isAuthenticated) return <Navigate to={target} replace />;
  const isOpen = data?.signUpPolicy === 'pending';
  return (
    <AuthLayout record={navigationRecords.login}>
      {data?.adminNeeded.needed && <FirstRunNote />}
      <LoginForm />
      <p className="mt-6 text-sm text-muted">
        {isOpen ? (
          <>
            {t('needAccountOpen')} <AuthLink to={routes.register()}>{t('signUp')}</AuthLink>
          </>
        ) : (
          t('needAccount')
        )}
      </p>
    </AuthLayout>
  );
}

/** Note on a fresh installation, which has no accounts yet. */
function FirstRunNote() {
  const { t } = useTranslation('auth');
  return (
    <Note title={t('firstRun')} className="mb-5">
      <AuthLink to={routes.createAdmin()}>{t('firstRunAction')}</AuthLink>
    </Note>
  );
}

function LoginForm() {
  const { t } = useTranslation('auth');
  const { logIn, reauthenticate, error: authError } = useAuth();
  const { failure, ask } = useReply();
  const form = useForm<Credentials>({ defaultValues: { username: '', password: '' } });
  const { errors, isSubmitting } = form.formState;

  // The server could not be asked, so the user may be signed in, or may not be signed out yet. Each failure has an error of
  // its own, and a sign-in clears it.
  useEffect(() => {
    if (!authError) return undefined;
    const retry = () => void reauthenticate();
    const timer = setTimeout(retry, RETRY_MS);
    window.addEventListener('online', retry);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('online', retry);
    };
  }, [authError, reauthenticate]);

  function textOf({ cause, message }: Error): string {
    if (cause instanceof SignOutPendingError) return t('signingOut');
    return cause instanceof OfficeUnknownError ? t('starting') : message;
  }

  async function submit(credentials: Credentials) {
    await ask(() => logIn(credentials));
  }

  return (
    <Form form={form} onSubmit={submit}>
      <Refusal failure={failure} fallback={authError ? textOf(authError) : undefined} />
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
        {/* The link follows the field in tab order, so that Tab goes from the user name to the password. */}
        <Link
          to={routes.forgotPassword()}
          className="absolute -top-1 end-0 py-1 text-sm font-medium text-accent hover:underline"
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
