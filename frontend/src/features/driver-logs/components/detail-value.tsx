import { useTranslation } from 'react-i18next';
import { DateTime } from '@/ui/date-time';

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

function isInstant(value: unknown): value is string {
  return typeof value === 'string' && INSTANT.test(value) && !Number.isNaN(Date.parse(value));
}

/** A value in words. It is anyone's text, so it stays text; what has parts shows as JSON. */
export function DetailValue({ name, value }: { name: string; value: unknown }) {
  const { t } = useTranslation(['driver-logs', 'common']);
  if (value === undefined || value === null || value === '') {
    return <span className="text-muted">{t('none', { ns: 'common' })}</span>;
  }
  if (isInstant(value)) return <DateTime instant={value} />;
  if (typeof value === 'boolean') return t(value ? 'yes' : 'no');
  if (typeof value === 'object') {
    return (
      <pre className="overflow-x-auto text-xs whitespace-pre-wrap">
        {JSON.stringify(value, null, 2)}
      </pre>
    );
  }
  if (name === 'status') {
    return t(`status.delivery.${value}`, { ns: 'common', defaultValue: String(value) });
  }
  return <span className="tabular-nums">{String(value)}</span>;
}
