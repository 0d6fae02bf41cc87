import { useTranslation } from 'react-i18next';
import { DateTime } from '@/ui/date-time';

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** A value of a change in words. It is anyone's text, so it stays text. */
export function ChangeValue({ field, value }: { field: string; value: string | null }) {
  const { t } = useTranslation(['status-histories', 'common']);
  if (value === null || value === '') {
    return <span className="text-muted">{t('none', { ns: 'common' })}</span>;
  }
  if (INSTANT.test(value) && !Number.isNaN(Date.parse(value))) return <DateTime instant={value} />;
  if (field === 'deliverystatus') {
    return t(`status.delivery.${value}`, { ns: 'common', defaultValue: value });
  }
  return value;
}
