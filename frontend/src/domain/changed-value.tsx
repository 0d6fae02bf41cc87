import { useTranslation } from 'react-i18next';
import { useTimeZone } from '@/data/use-time-zone';
import { useNameOf } from '@/i18n/texts';
import { formatDateTime } from '@/lib/dates';

/** Returns the label of a reason, or its code if the label is not known. */
export type ReasonText = (field: 'outcomeReason' | 'varianceReason', code: string) => string;

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/**
 * Returns a function that formats the value of a changed field. Values are untrusted. Without `reasonText`, reasons are shown
 * as codes.
 */
export function useFieldText(timeZone: string, reasonText?: ReasonText) {
  const { t } = useTranslation('common');
  const nameOf = useNameOf();
  return (field: string, value: string | null): string => {
    if (value === null || value === '') return t('none');
    if (INSTANT.test(value)) return formatDateTime(value, timeZone) || value;
    if (field === 'deliverystatus' || field === 'lateUpdate') return nameOf('common:status.delivery', value);
    if (field === 'receivedByRelation') return nameOf('deliveries:relation', value);
    if (field === 'condition') return nameOf('deliveries:condition', value);
    if (field === 'priority') return nameOf('deliveries:priority', value);
    if (field === 'outcomeReason' || field === 'varianceReason') return reasonText?.(field, value) ?? value;
    return value;
  };
}

interface ChangedValueProps {
  field: string;
  value: string | null;
  reasonText?: ReasonText;
}

/** The value of a field before or after a change, in the organization's time zone. */
export function ChangedValue({ field, value, reasonText }: ChangedValueProps) {
  const text = useFieldText(useTimeZone(), reasonText)(field, value);
  return value ? text : <span className="text-muted">{text}</span>;
}
