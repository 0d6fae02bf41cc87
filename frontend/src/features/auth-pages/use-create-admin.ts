import { useState } from 'react';
import type { UseFormSetError } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { useAuth } from '@/auth/use-auth';
import { type AppError, normalizeError } from '@/data/errors';
import { toast } from '@/ui/toast';
import { createAdminMutation } from './queries';

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
  const [failure, setFailure] = useState<AppError>();

  async function submit({ setupToken, ...account }: AdminValues) {
    setFailure(undefined);
    const { error } = await createAdmin({
      input: { ...account, ...(setupToken && { setupToken }) },
    });
    if (error) {
      const failed = normalizeError(error);
      setFailure(failed);
      for (const field of FIELDS) {
        const message = failed.fields[field]?.join(' ');
        if (message) setError(field, { type: 'server', message });
      }
      return;
    }
    toast.success(t('created'));
    try {
      const reply = await logIn({ username: account.username, password: account.password });
      if (reply.error) toast.error(reply.error);
    } catch (cause) {
      toast.error(normalizeError(cause).message);
    }
  }

  return { failure, submit };
}
