import { useState } from 'react';
import type { UseFormSetError } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useMutation } from 'urql';
import { useAuth } from '@/auth/use-auth';
import { type AppError, normalizeError } from '@/data/errors';
import { showFieldErrors } from '@/form/server-errors';
import { routes } from '@/routing/routes';
import { toast } from '@/ui/toast';
import { createAdminMutation } from './queries';
import { outcomeOf, toastFailure } from './use-reply';

export interface AdminValues {
  username: string;
  email: string;
  password: string;
  setupToken: string;
}

const FIELDS = ['setupToken', 'username', 'email', 'password'] as const;

/** Creates the first account and signs it in; the server's messages go to their fields. */
export function useCreateAdmin(setError: UseFormSetError<AdminValues>) {
  const { t } = useTranslation('auth');
  const { logIn } = useAuth();
  const [, createAdmin] = useMutation(createAdminMutation);
  const navigate = useNavigate();
  const [failure, setFailure] = useState<AppError>();

  async function submit({ setupToken, ...account }: AdminValues) {
    setFailure(undefined);
    const { error } = await createAdmin({
      input: { ...account, ...(setupToken && { setupToken }) },
    });
    if (error) {
      const failed = normalizeError(error);
      setFailure(failed);
      showFieldErrors(failed, FIELDS, setError);
      return;
    }
    toast.success(t('created'));
    const { username, password } = account;
    const outcome = await outcomeOf(() => logIn({ username, password }));
    if (outcome.is !== 'refused') return;
    // The account is there, so the form has nothing left to do.
    toastFailure(outcome.failure);
    await navigate(routes.login());
  }

  return { failure, submit };
}
