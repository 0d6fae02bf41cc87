import { useTranslation } from 'react-i18next';
import { formatDateTime } from '@/lib/dates';
import type { Reasons } from './use-reasons';

const TIMES = new Set(['scheduledatetime', 'deliverydatetime', 'timeWindowStart', 'timeWindowEnd']);

/** A field's value as the history keeps it, in words. */
export function useFieldText(reasons: Reasons, timeZone: string) {
  const { t } = useTranslation(['deliveries', 'common']);
  return (field: string, value: string | null): string => {
    if (value === null || value === '') return t('none', { ns: 'common' });
    if (TIMES.has(field)) return formatDateTime(value, timeZone) || value;
    if (field === 'deliverystatus') {
      return t(`status.delivery.${value}`, { ns: 'common', defaultValue: value });
    }
    if (field === 'receivedByRelation') return t(`relation.${value}`, { defaultValue: value });
    if (field === 'condition') return t(`condition.${value}`, { defaultValue: value });
    if (field === 'priority') return t(`priority.${value}`, { defaultValue: value });
    if (field === 'varianceReason') return reasons.label('variance', value) ?? value;
    if (field === 'outcomeReason') {
      // The list it is from is not kept beside it.
      const known = reasons.find('undelivered', value) ?? reasons.find('rejected', value);
      return known?.label ?? value;
    }
    return value;
  };
}
