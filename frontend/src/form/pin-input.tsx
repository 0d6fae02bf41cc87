import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CodeInput, type CodeInputProps } from '@/ui/code-input';
import { RevealButton } from './reveal-button';

type PinInputProps = Omit<CodeInputProps, 'masked' | 'end' | 'rejected'> & { what: string };

/** A new PIN. It is kept like a password, never like a code that was sent to somebody. */
export function PinInput({ what, ...rest }: PinInputProps) {
  const { t } = useTranslation('auth');
  const [shown, setShown] = useState(false);
  return (
    <CodeInput
      {...rest}
      masked={!shown}
      autoComplete="new-password"
      rejected={t('digitsOnly')}
      end={<RevealButton shown={shown} onToggle={() => setShown(!shown)} what={what} />}
    />
  );
}
