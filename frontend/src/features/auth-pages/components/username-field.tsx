import type { ComponentProps } from 'react';
import type { FieldError } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { TextField } from '@/form/text-field';

interface UsernameFieldProps extends Omit<ComponentProps<typeof TextField>, 'label'> {
  error: FieldError | undefined;
}

/** The name an account signs in with, open to password managers and spared by spelling checkers. */
export function UsernameField(props: UsernameFieldProps) {
  const { t } = useTranslation('auth');
  return (
    <TextField
      size={40}
      autoComplete="username"
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      {...props}
      label={t('username')}
    />
  );
}
