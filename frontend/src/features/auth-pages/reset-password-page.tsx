import { useCallback, useEffect, useState } from 'react';
import { useForm, type UseFormSetError } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useAuth } from '@/auth/use-auth';
import { type AppError, isPassing } from '@/data/errors';
import { Form, FormFields, FormSummary, SubmitButton } from '@/form/form';
import { PasswordField, PinField } from '@/form/secret-fields';
import { passwordRules, pinRules, repeatRules } from '@/form/secret-rules';
import { showFieldErrors } from '@/form/use-save';
import { useNameOf } from '@/i18n/texts';
import { routes } from '@/routing/routes';
import { navigationRecords } from '@/shell/records';
import { Note } from '@/ui/note';
import { toast } from '@/ui/toast';
import { outcomeOf, toastFailure, useReply, useSecretParam } from './account-fields';
import { AuthLayout, FormSkeleton, LoadFailure, NextStep } from './auth-layout';

/** The secret that a reset link changes. */
type SecretKind = 'password' | 'pin';

export type LinkState =
  | { is: 'checking' }
  | { is: 'good'; kind: SecretKind }
  /** `reason` is undefined if the URL has no token. */
  | { is: 'dead'; reason?: string }
  /** The check failed; a retry may help. */
  | { is: 'unknown'; failure: AppError };

/** Checks whether the token of a reset link is valid, and whether it sets a password or a PIN. */
function useResetLink(token: string) {
  const nameOf = useNameOf();
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
    // The server's message names a field that is not on the page, so show a text without it.
    return { is: 'dead', reason: nameOf('auth:reset.dead.reasons', text) };
  }, [token, validateResetToken, nameOf]);

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

  /** Checks again and changes the page only if the link has become invalid. */
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

/** Uses a reset link, then goes to the login page. */
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
    // The session of the same account in this browser has ended.
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

/** Explains why a reset link does not work, and how to get a new one. */
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
  /** Called when the link may have expired since it was checked. */
  onRefused: () => void;
}

/** Form for a new password or PIN, entered twice. */
function ResetForm({ token, kind, onRefused }: ResetFormProps) {
  const { t } = useTranslation('auth');
  const form = useForm<ResetValues>({ defaultValues: { password: '', repeat: '' } });
  const { register, setFocus } = form;
  const { errors, isSubmitting } = form.formState;
  const { failure, submit } = useResetPassword({ token, kind, onRefused, setError: form.setError });
  const isPin = kind === 'pin';
  const Secret = isPin ? PinField : PasswordField;

  // The main field is shown only after the link was checked, so focus it then.
  useEffect(() => setFocus('password'), [setFocus]);

  return (
    <Form form={form} onSubmit={submit}>
      <FormSummary failure={failure} />
      <FormFields>
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
      </FormFields>
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
