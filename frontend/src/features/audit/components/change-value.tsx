import { useTranslation } from 'react-i18next';
import { DateTime } from '@/ui/date-time';

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

function isInstant(value: unknown): value is string {
  return typeof value === 'string' && INSTANT.test(value) && !Number.isNaN(Date.parse(value));
}

/** A value of an entry in words. It is anyone's text, so it stays text. */
export function ChangeValue({ value }: { value: unknown }) {
  const { t } = useTranslation(['audit', 'common']);
  if (value === undefined || value === null || value === '') {
    return <span className="text-muted">{t('none', { ns: 'common' })}</span>;
  }
  if (isInstant(value)) return <DateTime instant={value} />;
  if (typeof value === 'boolean') return t(value ? 'yes' : 'no');
  if (Array.isArray(value)) {
    if (value.length === 0) return <ChangeValue value={null} />;
    return value.map((entry) => (typeof entry === 'object' ? JSON.stringify(entry) : entry)).join(', ');
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
