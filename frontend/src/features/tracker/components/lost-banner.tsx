import { useTranslation } from 'react-i18next';
import { useTimeZone } from '@/data/use-time-zone';
import { formatTime } from '@/lib/dates';
import { Note } from '@/ui/note';

/** The connection broke: what is shown is from then, and it is being tried again. */
export function LostBanner({ heardAt }: { heardAt: number | undefined }) {
  const { t } = useTranslation('tracker');
  const timeZone = useTimeZone();
  return (
    <Note tone="warn" role="status" title={t('lost.title')} className="shadow-float">
      {heardAt !== undefined && t('lost.text', { time: formatTime(heardAt, timeZone) })}
    </Note>
  );
}
