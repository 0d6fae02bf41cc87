import type { UseFormSetError } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useAuth } from '@/auth/use-auth';
import { showFieldErrors } from '@/form/server-errors';
import { routes } from '@/routing/routes';
import { toast } from '@/ui/toast';
import { useReply } from './use-reply';
import type { SecretKind } from './use-reset-link';

export interface ResetValues {
  password: string;
  repeat: string;
}

interface ResetOptions {
  token: string;
  kind: SecretKind;
  onRefused: () => void;
  setError: UseFormSetError<ResetValues>;
}

/** Uses a one-time link, and goes on to the sign-in. */
export function useResetPassword({ token, kind, onRefused, setError }: ResetOptions) {
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
