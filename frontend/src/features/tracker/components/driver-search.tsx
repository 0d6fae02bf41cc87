import { Search, X } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '@/ui/button';
import { Input } from '@/ui/input';

interface DriverSearchProps {
  value: string;
  onChange: (value: string) => void;
}

/** Part of a driver's name or id, or of the document of one of their deliveries. */
export function DriverSearch({ value, onChange }: DriverSearchProps) {
  const { t } = useTranslation('tracker');
  return (
    <Input
      size={32}
      value={value}
      onChange={({ target }) => onChange(target.value)}
      aria-label={t('search.label')}
      placeholder={t('search.placeholder')}
      maxLength={64}
      autoComplete="off"
      spellCheck={false}
      start={<Search aria-hidden className="size-4" />}
      end={value && <IconButton icon={X} size={28} label={t('search.clear')} onClick={() => onChange('')} />}
    />
  );
}
