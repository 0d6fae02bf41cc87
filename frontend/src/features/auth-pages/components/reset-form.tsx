import { useEffect } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Form } from '@/form/form';
import { FormSummary } from '@/form/form-summary';
import { PasswordField } from '@/form/password-field';
import { PinField } from '@/form/pin-field';
import { passwordRules, pinRules, repeatRules } from '@/form/secret-rules';
import { SubmitButton } from '@/form/submit-button';
import type { SecretKind } from '../use-reset-link';
import { type ResetValues, useResetPassword } from '../use-reset-password';

interface ResetFormProps {
  token: string;
  kind: SecretKind;
  /** The link may have died since it was looked at. */
  onRefused: () => void;
}

/** A new password, or a driver's new PIN, typed twice. */
export function ResetForm({ token, kind, onRefused }: ResetFormProps) {
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
