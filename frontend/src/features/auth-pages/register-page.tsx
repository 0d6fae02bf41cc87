import { useEffect, useRef, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { useAuth } from '@/auth/use-auth';
import { normalizeError } from '@/data/errors';
import type { ResultOf } from '@/data/graphql';
import { Form, FormFields, FormSummary, SubmitButton } from '@/form/form';
import { PasswordField } from '@/form/secret-fields';
import { passwordRules, repeatRules } from '@/form/secret-rules';
import { showFieldErrors } from '@/form/use-save';
import { routes } from '@/routing/routes';
import { navigationRecords } from '@/shell/records';
import { Note } from '@/ui/note';
import { accountRules, EmailField, useReply, UsernameField } from './account-fields';
import { AuthLayout, AuthLink, FormSkeleton, LoadFailure, NextStep } from './auth-layout';
import { signUpPolicyQuery } from './queries';

export default function RegisterPage() {
  const { t } = useTranslation('auth');
  const { isAuthenticated } = useAuth();
  const [{ data, error }, retry] = useQuery({
    query: signUpPolicyQuery,
    requestPolicy: 'network-only',
  });
  const policy = data?.signUpPolicy;
  const [done, setDone] = useState<string>();

  if (done !== undefined) {
    return (
      <AuthLayout record={navigationRecords.register}>
        <SignedUp text={done} />
      </AuthLayout>
    );
  }
  return (
    <AuthLayout record={navigationRecords.register}>
      {!policy && !error && <FormSkeleton fields={4} />}
      {!policy && error && <LoadFailure failure={normalizeError(error)} onRetry={() => retry()} />}
      {policy && <SignUpState policy={policy} />}
      {policy && isAuthenticated && <RegisterSignedIn />}
      {policy === 'off' && !isAuthenticated && (
        <NextStep to={routes.login()}>{t('goToLogin')}</NextStep>
      )}
      {policy === 'pending' && !isAuthenticated && (
        <div className="mt-5">
          <RegisterForm onDone={setDone} />
          <p className="mt-6 text-sm text-muted">
            {t('register.hasAccountQuestion')}{' '}
            <AuthLink to={routes.login()}>{t('goToLogin')}</AuthLink>
          </p>
        </div>
      )}
    </AuthLayout>
  );
}

interface RegisterValues {
  username: string;
  email: string;
  password: string;
  repeat: string;
}

const FIELDS = ['username', 'email', 'password'] as const;

/** Registers an account. The server's message stays after its toast is gone. */
function RegisterForm({ onDone }: { onDone: (text: string) => void }) {
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
      <FormFields>
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
      </FormFields>
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

/** Tells a signed-in user that registering is not needed. Administrators create accounts elsewhere. */
function RegisterSignedIn() {
  const { t } = useTranslation('auth');
  const { currentUser, hasRole } = useAuth();
  const isAdmin = hasRole('admin');
  return (
    <>
      <Note title={t('register.signedIn', { username: currentUser?.username })} className="mt-4">
        {t(isAdmin ? 'register.adminHint' : 'register.hasAccount')}
      </Note>
      {isAdmin ? (
        <NextStep to={routes.newUser()}>{t('register.createUser')}</NextStep>
      ) : (
        <NextStep to={routes.account()}>{t('register.account')}</NextStep>
      )}
    </>
  );
}

/** The server's message after registration, which stays after its toast is gone. */
function SignedUp({ text }: { text: string }) {
  const { t } = useTranslation('auth');
  const box = useRef<HTMLDivElement>(null);

  // The form that had the focus was removed, so focus the note.
  useEffect(() => box.current?.focus(), []);

  return (
    <>
      <Note ref={box} tone="ok" title={t('register.doneTitle')}>
        {text}
      </Note>
      <NextStep to={routes.login()}>{t('goToLogin')}</NextStep>
    </>
  );
}

interface SignUpStateProps {
  policy: ResultOf<typeof signUpPolicyQuery>['signUpPolicy'];
}

/** Explains whether registration is open. */
function SignUpState({ policy }: SignUpStateProps) {
  const { t } = useTranslation('auth');
  return (
    <Note title={t(`register.policy.${policy}.title`)}>
      {t(`register.policy.${policy}.text`)}
    </Note>
  );
}
