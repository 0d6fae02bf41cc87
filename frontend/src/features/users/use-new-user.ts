import { useState } from 'react';
import type { UseFormSetError } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useMutation } from 'urql';
import type { Role } from '@/auth/roles';
import { type AppError, normalizeError } from '@/data/errors';
import { showFieldErrors } from '@/form/server-errors';
import { routes } from '@/routing/routes';
import { toast } from '@/ui/toast';
import { createUserMutation } from './queries';

export interface NewUserValues {
  username: string;
  displayName: string;
  email: string;
  roles: Role[];
}

const FIELDS = ['username', 'displayName', 'email', 'roles'] as const;

/** Makes the account and goes on to its page, where its one-time link is made. */
export function useNewUser(setError: UseFormSetError<NewUserValues>) {
  const { t } = useTranslation('users');
  const navigate = useNavigate();
  const [, execute] = useMutation(createUserMutation);
  const [failure, setFailure] = useState<AppError>();

  async function submit({ displayName, ...values }: NewUserValues) {
    setFailure(undefined);
    const { data, error } = await execute({
      input: { ...values, displayName: displayName.trim() || null },
    });
    if (data) {
      toast.success(t('new.done', { username: data.createUser.username }));
      await navigate(routes.viewUser({ id: data.createUser.id }));
      return;
    }
    const failed = normalizeError(error);
    setFailure(failed);
    showFieldErrors(failed, FIELDS, setError);
  }

  return { failure, submit };
}
