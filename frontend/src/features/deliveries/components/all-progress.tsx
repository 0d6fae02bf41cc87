import { useTranslation } from 'react-i18next';
import { formatCount } from '@/lib/numbers';
import { Note } from '@/ui/note';
import { ProgressBar } from '@/ui/progress-bar';
import type { BulkChange } from '../bulk-change-queries';

/** How far a change of all that match is. */
export function AllProgress({ change, title, lost }: { change: BulkChange; title: string; lost: boolean }) {
  const { t } = useTranslation('deliveries-list');
  const { done, total } = change;
  return (
    <div className="flex flex-col gap-2">
      <ProgressBar label={title} value={total > 0 ? done / total : undefined} />
      <p role="status" className="text-sm text-muted tabular-nums">
        {t('all.progress', { done: formatCount(done), total: formatCount(total) })}
      </p>
      {lost ? <Note tone="warn">{t('all.lost')}</Note> : <p className="text-sm text-muted">{t('all.goesOn')}</p>}
    </div>
  );
}
