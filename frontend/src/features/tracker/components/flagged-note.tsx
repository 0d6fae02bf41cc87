import { useTranslation } from 'react-i18next';
import { formatCount } from '@/lib/numbers';
import { Note } from '@/ui/note';

const KNOWN = ['accuracy', 'max_speed', 'duplicate', 'future_time', 'zero_island'];

/** How many positions are no part of the line, and why. */
export function FlaggedNote({ flagged }: { flagged: Readonly<Record<string, number>> }) {
  const { t } = useTranslation('tracker');
  const total = Object.values(flagged).reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  return (
    <Note tone="info" title={t('trail.flagged', { count: total, shown: formatCount(total) })}>
      <ul>
        {Object.entries(flagged).map(([reason, count]) => (
          <li key={reason}>
            {t(`trail.reason.${KNOWN.includes(reason) ? reason : 'other'}`, { shown: formatCount(count) })}
          </li>
        ))}
      </ul>
    </Note>
  );
}
