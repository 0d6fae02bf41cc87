import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Input, type InputProps } from '@/ui/input';
import { RevealButton } from './reveal-button';

type PasswordInputProps = Omit<InputProps, 'type' | 'end'> & {
  autoComplete: 'current-password' | 'new-password';
  /** Names the field in its show button where a form has several. */
  what?: string;
};

export function PasswordInput({ what, ...rest }: PasswordInputProps) {
  const { t } = useTranslation('auth');
  const [shown, setShown] = useState(false);
  return (
    <Input
      {...rest}
      type={shown ? 'text' : 'password'}
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      end={
        <RevealButton
          shown={shown}
          onToggle={() => setShown(!shown)}
          what={what ?? t('what.password')}
        />
      }
    />
  );
}
