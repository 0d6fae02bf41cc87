import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useAuth } from '@/auth/use-auth';
import { Form } from '@/form/form';
import { SubmitButton } from '@/form/submit-button';
import { useReply } from '../use-reply';
import { Refusal } from './refusal';
import { UsernameField } from './username-field';

/** Asks for a link. What comes of it is the same for every name. */
export function ForgotForm({ onSent }: { onSent: () => void }) {
  const { t } = useTranslation('auth');
  const { forgotPassword } = useAuth();
  const { failure, ask } = useReply();
  const form = useForm({ defaultValues: { username: '' } });
  const { errors, isSubmitting } = form.formState;

  async function submit({ username }: { username: string }) {
    const { is } = await ask(() => forgotPassword(username));
    if (is !== 'refused') onSent();
  }

  return (
    <Form form={form} onSubmit={submit}>
      <Refusal failure={failure} />
      <div data-redwood-route-focus>
        <UsernameField
          {...form.register('username', { required: true })}
          error={errors.username}
        />
      </div>
      <SubmitButton
        busy={isSubmitting}
        label={t('forgot.send')}
        busyLabel={t('forgot.sending')}
        size={40}
        className="w-full"
      />
    </Form>
  );
}
