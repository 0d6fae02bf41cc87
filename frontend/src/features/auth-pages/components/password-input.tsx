import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '@/ui/button';
import { Input, type InputProps } from '@/ui/input';

type PasswordInputProps = Omit<InputProps, 'type' | 'end'> & {
  autoComplete: 'current-password' | 'new-password';
};

export function PasswordInput(props: PasswordInputProps) {
  const { t } = useTranslation('auth');
  const [shown, setShown] = useState(false);
  return (
    <Input
      {...props}
      type={shown ? 'text' : 'password'}
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      end={
        <IconButton
          icon={shown ? EyeOff : Eye}
          size={28}
          label={t(shown ? 'hidePassword' : 'showPassword')}
          onClick={() => setShown(!shown)}
        />
      }
    />
  );
}
