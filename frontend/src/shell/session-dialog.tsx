import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { type AuthReply, replyFailure } from '@/auth/auth-reply';
import { useAuth } from '@/auth/use-auth';
import { normalizeError } from '@/data/errors';
import { Form, SubmitButton } from '@/form/form';
import { PasswordField } from '@/form/secret-fields';
import { Button } from '@/ui/button';
import { Dialog, DialogContent } from '@/ui/dialog';
import { Note } from '@/ui/note';

export interface SessionDialogProps {
  /** Signs the same user in again. The page below then continues. */
  onResume: (password: string) => Promise<AuthReply>;
  /** Goes to the login page. */
  onLeave: () => void;
}

export default function SessionDialog({ onResume, onLeave }: SessionDialogProps) {
  const { t } = useTranslation(['shell', 'auth']);
  const { currentUser } = useAuth();
  const username = currentUser?.username ?? '';
  const form = useForm({ defaultValues: { password: '' } });
  const { errors, isSubmitting } = form.formState;
  const [refusal, setRefusal] = useState<string>();

  async function submit({ password }: { password: string }) {
    setRefusal(undefined);
    const failure = await onResume(password).then(replyFailure, normalizeError);
    if (failure) setRefusal(failure.detail ?? failure.message);
  }

  return (
    <Dialog open>
      <DialogContent
        role="alertdialog"
        staysOpen
        staysVisible
        title={t('session.title')}
        description={t('session.text')}
      >
        <Form form={form} onSubmit={submit}>
          {refusal !== undefined && (
            <Note tone="bad" role="alert">
              {refusal}
            </Note>
          )}
          <p className="text-sm">
            {t('auth:username')} <span className="font-medium">{username}</span>
          </p>
          {/* Lets password managers find the user name. */}
          <input hidden readOnly autoComplete="username" value={username} />
          <PasswordField
            {...form.register('password', { required: true })}
            label={t('auth:password')}
            error={errors.password}
            autoComplete="current-password"
          />
          <div className="flex flex-wrap gap-2">
            <SubmitButton
              busy={isSubmitting}
              size={36}
              label={t('auth:login')}
              busyLabel={t('auth:loggingIn')}
            />
            <Button size={36} onClick={onLeave}>
              {t('session.leave')}
            </Button>
          </div>
        </Form>
      </DialogContent>
    </Dialog>
  );
}
