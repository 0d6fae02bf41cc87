import { useTranslation } from 'react-i18next';
import { useClock } from '@/data/use-clock';
import { useOfficeRules } from '@/data/use-office-rules';
import { useTimeZone } from '@/data/use-time-zone';
import { formatDateTime, fromWallTime } from '@/lib/dates';
import { Note } from '@/ui/note';

/** Warns that the server refuses imports, before the user chooses a file or its columns, or imports checked or corrected rows. */
export function PausedNote({ className }: { className?: string }) {
  const { t } = useTranslation('imports');
  const timeZone = useTimeZone();
  const { importPausedUntil } = useOfficeRules();
  const now = useClock(importPausedUntil, importPausedUntil === null);
  const until = importPausedUntil === null ? undefined : fromWallTime(importPausedUntil, timeZone);
  if (until === undefined || Date.parse(until) <= now) return null;
  return (
    <Note tone="info" role="status" title={t('paused.title')} className={className}>
      {t('paused.text', { until: formatDateTime(until, timeZone) })}
    </Note>
  );
}
