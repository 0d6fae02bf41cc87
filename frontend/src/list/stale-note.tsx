import { RefreshCw } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { formatTime } from '@/lib/dates';
import { Button } from '@/ui/button';
import { Note } from '@/ui/note';

interface StaleNoteProps {
  since: number;
  timeZone: string;
  onRetry: () => void;
}

export function StaleNote({ since, timeZone, onRetry }: StaleNoteProps) {
  const { t } = useTranslation(['list', 'common']);
  return (
    <Note
      tone="warn"
      role="status"
      title={t('stale', { time: formatTime(since, timeZone) })}
      action={
        <Button size={28} icon={RefreshCw} onClick={onRetry}>
          {t('common:retry')}
        </Button>
      }
    />
  );
}
