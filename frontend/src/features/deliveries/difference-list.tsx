import { useTranslation } from 'react-i18next';
import { useNameOf } from '@/i18n/texts';
import { formatDateTime } from '@/lib/dates';
import type { Difference } from './differences';
import type { Reasons } from './use-reasons';

interface DifferenceListProps {
  differences: readonly Difference[];
  reasons: Reasons;
  timeZone: string;
}

// The maximum number of differences shown, since an outcome can change a thousand lines.
const MOST = 50;

export function DifferenceList({ differences, reasons, timeZone }: DifferenceListProps) {
  const { t } = useTranslation('deliveries');
  const nameOf = useNameOf();
  const textOf = useFieldText(reasons, timeZone);
  const rest = differences.length - MOST;
  return (
    <ul className="mt-1 flex flex-col gap-1 text-xs">
      {differences.slice(0, MOST).map(({ itemNumber, field, before, after }) => (
        <li key={`${itemNumber ?? ''}/${field}`} className="wrap-anywhere">
          <span className="text-muted">
            {itemNumber !== null && `${t('history.item', { item: itemNumber })} `}
            {nameOf('deliveries:fields', field)}:
          </span>{' '}
          <del className="text-muted">{textOf(field, before)}</del> <span aria-hidden>→</span>{' '}
          <ins className="no-underline">{textOf(field, after)}</ins>
        </li>
      ))}
      {rest > 0 && <li>{t('history.more', { count: rest })}</li>}
    </ul>
  );
}

const TIMES = new Set(['scheduledatetime', 'deliverydatetime', 'timeWindowStart', 'timeWindowEnd']);

/** Formats the value of a history field. */
function useFieldText(reasons: Reasons, timeZone: string) {
  const { t } = useTranslation(['deliveries', 'common']);
  const nameOf = useNameOf();
  return (field: string, value: string | null): string => {
    if (value === null || value === '') return t('none', { ns: 'common' });
    if (TIMES.has(field)) return formatDateTime(value, timeZone) || value;
    if (field === 'deliverystatus' || field === 'lateUpdate') return nameOf('common:status.delivery', value);
    if (field === 'receivedByRelation') return nameOf('deliveries:relation', value);
    if (field === 'condition') return nameOf('deliveries:condition', value);
    if (field === 'priority') return nameOf('deliveries:priority', value);
    if (field === 'varianceReason') return reasons.label('variance', value) ?? value;
    if (field === 'outcomeReason') {
      // The history does not record which catalog the reason is from.
      const known = reasons.find('undelivered', value) ?? reasons.find('rejected', value);
      return known?.label ?? value;
    }
    return value;
  };
}
