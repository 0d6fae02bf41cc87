import { useId, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { useAuth } from '@/auth/use-auth';
import { type AppError, normalizeError } from '@/data/errors';
import { Form } from '@/form/form';
import { FormSummary } from '@/form/form-summary';
import { PasswordField } from '@/form/password-field';
import { passwordRules, repeatRules } from '@/form/secret-rules';
import { showFieldErrors } from '@/form/server-errors';
import { SubmitButton } from '@/form/submit-button';
import { Panel, PanelHead } from '@/ui/panel';
import { toast } from '@/ui/toast';
import { changeOwnPasswordMutation } from '../queries';

interface PasswordValues {
  currentPassword: string;
  newPassword: string;
  repeat: string;
}

const empty: PasswordValues = { currentPassword: '', newPassword: '', repeat: '' };
const FIELDS = ['currentPassword', 'newPassword'] as const;
// It ends sessions, though it answers a number alone.
const context = { additionalTypenames: ['Session'] };

export function PasswordPanel() {
  const { t } = useTranslation(['account', 'auth']);
  const titleId = useId();
  const { currentUser } = useAuth();
  const [, execute] = useMutation(changeOwnPasswordMutation);
  const [failure, setFailure] = useState<AppError>();
  const form = useForm<PasswordValues>({ defaultValues: empty });
  const { register, reset, setError, setFocus } = form;
  const { errors, isSubmitting } = form.formState;

  async function submit({ currentPassword, newPassword }: PasswordValues) {
    setFailure(undefined);
    const { data, error } = await execute({ input: { currentPassword, newPassword } }, context);
    if (error) {
      const failed = normalizeError(error);
      setFailure(failed);
      showFieldErrors(failed, FIELDS, setError);
      return;
    }
    reset(empty);
    setFocus('currentPassword');
    toast.success(t('password.done', { count: data?.changeOwnPassword.count ?? 0 }));
  }

  return (
    <Panel aria-labelledby={titleId}>
      <PanelHead id={titleId} title={t('password.title')} />
      <Form form={form} onSubmit={submit} className="flex flex-col gap-4 px-4 pt-1 pb-4">
        <FormSummary failure={failure} />
        {/* Tells password managers whose password this is. */}
        <input type="text" hidden readOnly autoComplete="username" value={currentUser?.username} />
        <PasswordField
          {...register('currentPassword', { required: true })}
          label={t('password.current')}
          what={t('what.current', { ns: 'auth' })}
          error={errors.currentPassword}
          autoComplete="current-password"
        />
        <PasswordField
          {...register('newPassword', { ...passwordRules, deps: ['repeat'] })}
          label={t('password.new')}
          hint={t('passwordHint', { ns: 'auth' })}
          what={t('what.new.password', { ns: 'auth' })}
          error={errors.newPassword}
          autoComplete="new-password"
        />
        <PasswordField
          {...register(
            'repeat',
            repeatRules<PasswordValues>('newPassword', t('reset.password.differs', { ns: 'auth' })),
          )}
          label={t('password.repeat')}
          what={t('what.repeated.password', { ns: 'auth' })}
          error={errors.repeat}
          autoComplete="new-password"
        />
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-t border-line pt-4">
          <SubmitButton
            busy={isSubmitting}
            label={t('password.save')}
            busyLabel={t('saving', { ns: 'auth' })}
            size={36}
          />
          <p className="min-w-0 flex-1 text-xs text-muted">{t('password.effect')}</p>
        </div>
      </Form>
    </Panel>
  );
}
