import { Eye, EyeOff } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '@/ui/button';

interface RevealButtonProps {
  shown: boolean;
  onToggle: () => void;
  /** What is shown or hidden, as it reads inside a sentence. */
  what: string;
}

/** Shows what was typed into a field that hides it, and hides it again. */
export function RevealButton({ shown, onToggle, what }: RevealButtonProps) {
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
