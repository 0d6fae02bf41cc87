import type { ComponentProps } from 'react';
import type { FieldError } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { TextField } from '@/form/text-field';

interface EmailFieldProps extends Omit<ComponentProps<typeof TextField>, 'label' | 'type'> {
  error: FieldError | undefined;
}

/** The address an account can be reached at. */
export function EmailField(props: EmailFieldProps) {
  const { t } = useTranslation('auth');
  return <TextField size={40} autoComplete="email" {...props} type="email" label={t('email')} />;
}
