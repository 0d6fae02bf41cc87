import { useTranslation } from 'react-i18next';
import { formatCount } from '@/lib/numbers';
import type { BulkChange } from '../bulk-change-queries';

const REASONS = [
  'already',
  'not_allowed',
  'not_pending',
  'not_undelivered',
  'attempts_used',
  'same_time',
  'past',
  'changed',
  'gone',
] as const;

/** How many deliveries a change is not for, by reason. */
export function LeftOut({ reasons }: { reasons: BulkChange['leftOut'] }) {
  const { t } = useTranslation('deliveries-list');
  if (reasons.length === 0) return null;
  return (
    <div className="text-sm">
      <p className="font-medium">{t('all.left')}</p>
      <ul aria-label={t('all.left')} className="mt-1 divide-y divide-line rounded-control border border-line">
        {reasons.map(({ reason, count }) => (
          <li key={reason} className="flex gap-3 px-3 py-1.5">
            <span className="min-w-10 text-right font-medium tabular-nums">{formatCount(count)}</span>
            {/* One of a newer server has no words here yet. */}
            <span className="text-muted">{t(`all.reasons.${REASONS.find((it) => it === reason) ?? 'other'}`)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
