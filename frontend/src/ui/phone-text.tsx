import { phoneAddress } from '@/lib/phone';
import { cn } from './cn';

interface PhoneTextProps {
  text: string;
  /** Whether other text is beside it, from which color alone would not distinguish it. */
  underlined?: boolean;
}

/** A phone number as it was entered, which dials when it is pressed. */
export function PhoneText({ text, underlined = false }: PhoneTextProps) {
  const address = phoneAddress(text);
  if (address === undefined) return text;
  return (
    <a
      href={address}
      className={cn('hit-target text-accent', underlined ? 'underline underline-offset-2' : 'hover:underline')}
    >
      {text}
    </a>
  );
}
