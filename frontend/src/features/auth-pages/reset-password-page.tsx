import { useCallback, useEffect, useState } from 'react';
import { useForm, type UseFormSetError } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { isPassing } from '@/auth/auth-reply';
import { useAuth } from '@/auth/use-auth';
import type { AppError } from '@/data/errors';
import { Form, FormSummary, SubmitButton } from '@/form/form';
import { PasswordField, PinField } from '@/form/secret-fields';
import { passwordRules, pinRules, repeatRules } from '@/form/secret-rules';
import { showFieldErrors } from '@/form/use-save';
import { navigationRecords } from '@/navigation/records';
import { routes } from '@/routing/routes';
import { Note } from '@/ui/note';
import { toast } from '@/ui/toast';
import { outcomeOf, toastFailure, useReply, useSecretParam } from './account-fields';
import { AuthLayout, FormSkeleton, LoadFailure, NextStep } from './auth-layout';

/** What a reset link asks for. */
type SecretKind = 'password' | 'pin';

export type LinkState =
  | { is: 'checking' }
  | { is: 'good'; kind: SecretKind }
  /** Without a reason when there was no token to ask about. */
  | { is: 'dead'; reason?: string }
  /** Nothing is known of the link; asking again may help. */
  | { is: 'unknown'; failure: AppError };

/** Whether the token of a reset link still works, and what it is for. */
function useResetLink(token: string) {
  const { t } = useTranslation('auth');
  const { validateResetToken } = useAuth();
  const [attempt, setAttempt] = useState(0);
  const [state, setState] = useState<LinkState>({ is: 'checking' });

  const look = useCallback(async (): Promise<LinkState> => {
    if (!token) return { is: 'dead' };
    const outcome = await outcomeOf(() => validateResetToken(token));
    if (outcome.is === 'done') {
      return { is: 'good', kind: outcome.reply.kind === 'pin' ? 'pin' : 'password' };
    }
    if (outcome.is === 'news') {
      return { is: 'dead', reason: outcome.message };
    }
    const { failure } = outcome;
    if (isPassing(failure)) return { is: 'unknown', failure };
    const text = failure.detail ?? failure.message;
    // What the server says of a token names a field that nobody sees.
    return { is: 'dead', reason: t(`reset.dead.reasons.${text}`, { defaultValue: text }) };
  }, [token, validateResetToken, t]);

  useEffect(() => {
    let isLeft = false;
    void look().then((found) => {
      if (isLeft) return;
      if (found.is === 'unknown') toastFailure(found.failure);
      setState(found);
    });
    return () => {
      isLeft = true;
    };
  }, [look, attempt]);

  /** Asks again and leaves the page as it is, unless the link is dead by now. */
  const check = useCallback(async () => {
    const found = await look();
    if (found.is === 'dead') setState(found);
  }, [look]);

  const retry = useCallback(() => {
    setState({ is: 'checking' });
    setAttempt((count) => count + 1);
  }, []);

  return { state, check, retry };
}

interface ResetValues {
  password: string;
  repeat: string;
}

interface ResetOptions {
  token: string;
  kind: SecretKind;
  onRefused: () => void;
  setError: UseFormSetError<ResetValues>;
}

/** Uses a reset link, and goes on to the sign-in. */
function useResetPassword({ token, kind, onRefused, setError }: ResetOptions) {
  const { t } = useTranslation('auth');
  const { resetPassword, reauthenticate } = useAuth();
  const navigate = useNavigate();
  const { failure, ask } = useReply();

  async function submit({ password }: ResetValues) {
    const outcome = await ask(() => resetPassword({ resetToken: token, password }));
    if (outcome.is === 'refused') {
      showFieldErrors(outcome.failure, ['password'], setError);
      if (!outcome.failure.fields.password) onRefused();
      return;
    }
    if (outcome.is === 'done') toast.success(t(`reset.${kind}.done`));
    // A session of the same account in this browser is over.
    await reauthenticate();
    await navigate(routes.login(), { replace: true });
  }

  return { failure, submit };
}

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

/** Why a reset link is of no use, and how to get one that is. */
function DeadLink({ reason }: { reason?: string | undefined }) {
  const { t } = useTranslation('auth');
  const title = t(reason ? 'reset.dead.title' : 'reset.missing.title');
  return (
    <>
      <Note tone="bad" role="alert" title={title}>
        {reason && reason !== title && <p>{reason}</p>}
        <p>{t(reason ? 'reset.dead.text' : 'reset.missing.text')}</p>
      </Note>
      <NextStep to={routes.forgotPassword()}>{t('reset.again')}</NextStep>
      <p className="mt-6 text-sm text-muted">{t('reset.driver')}</p>
    </>
  );
}

interface ResetFormProps {
  token: string;
  kind: SecretKind;
  /** The link may have died since it was looked at. */
  onRefused: () => void;
}

/** A new password, or a driver's new PIN, typed twice. */
function ResetForm({ token, kind, onRefused }: ResetFormProps) {
  const { t } = useTranslation('auth');
  const form = useForm<ResetValues>({ defaultValues: { password: '', repeat: '' } });
  const { register, setFocus } = form;
  const { errors, isSubmitting } = form.formState;
  const { failure, submit } = useResetPassword({ token, kind, onRefused, setError: form.setError });
  const isPin = kind === 'pin';
  const Secret = isPin ? PinField : PasswordField;

  // The page opened for this, and showed it only after the link was looked at.
  useEffect(() => setFocus('password'), [setFocus]);

  return (
    <Form form={form} onSubmit={submit}>
      <FormSummary failure={failure} />
      <Secret
        {...register('password', { ...(isPin ? pinRules : passwordRules), deps: ['repeat'] })}
        size={40}
        label={t(`reset.${kind}.label`)}
        hint={t(`reset.${kind}.hint`)}
        what={t(`what.new.${kind}`)}
        error={errors.password}
        autoComplete="new-password"
      />
      <Secret
        {...register('repeat', repeatRules<ResetValues>('password', t(`reset.${kind}.differs`)))}
        size={40}
        label={t(`reset.${kind}.repeat`)}
        what={t(`what.repeated.${kind}`)}
        error={errors.repeat}
        autoComplete="new-password"
      />
      <SubmitButton
        busy={isSubmitting}
        label={t(`reset.${kind}.save`)}
        busyLabel={t('saving')}
        size={40}
        className="w-full"
      />
    </Form>
  );
}
