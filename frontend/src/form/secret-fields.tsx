import { Eye, EyeOff } from 'lucide-react';
import { type ComponentProps, type ReactNode, useState } from 'react';
import type { FieldError } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { IconButton } from '@/ui/button';
import { CodeInput, type CodeInputProps } from '@/ui/code-input';
import { Field } from '@/ui/field';
import { Input, type InputProps } from '@/ui/input';
import { ruleMessage } from './rule-message';

interface PasswordFieldProps extends ComponentProps<typeof PasswordInput> {
  label: string;
  error: FieldError | undefined;
  hint?: ReactNode;
}

/** A password input with label, hint and error. */
export function PasswordField({ label, error, hint, ...input }: PasswordFieldProps) {
  return (
    <Field label={label} hint={hint} error={ruleMessage(label, error)} required>
      <PasswordInput {...input} />
    </Field>
  );
}

type PasswordInputProps = Omit<InputProps, 'type' | 'end'> & {
  autoComplete: 'current-password' | 'new-password';
  /** Names the field in the label of the button that shows the password, for forms with several passwords. */
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

interface RevealButtonProps {
  shown: boolean;
  onToggle: () => void;
  /** The field's name as part of a sentence. */
  what: string;
}

/** Shows or hides a masked value. */
function RevealButton({ shown, onToggle, what }: RevealButtonProps) {
  const { t } = useTranslation('auth');
  return (
    <IconButton
      icon={shown ? EyeOff : Eye}
      size={28}
      label={t(shown ? 'hide' : 'show', { what })}
      onClick={onToggle}
    />
  );
}

interface PinFieldProps extends ComponentProps<typeof PinInput> {
  label: string;
  error: FieldError | undefined;
  hint?: ReactNode;
}

/** A PIN input with label, hint and error. */
export function PinField({ label, error, hint, ...input }: PinFieldProps) {
  return (
    <Field label={label} hint={hint} error={ruleMessage(label, error)} required>
      <PinInput {...input} />
    </Field>
  );
}

type PinInputProps = Omit<CodeInputProps, 'masked' | 'end' | 'rejected'> & { what: string };

/** Input for a new PIN. Password managers treat it as a password, not as a one-time code. */
function PinInput({ what, ...rest }: PinInputProps) {
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
