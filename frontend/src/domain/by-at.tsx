import { useTranslation } from 'react-i18next';
import { DateTime } from '@/ui/date-time';

/** When a record was created or changed, and by whom. */
export function ByAt({ by, at }: { by: string; at: string }) {
  const { t } = useTranslation('common');
  return (
    <>
      <DateTime instant={at} className="whitespace-nowrap" />
      <span className="block text-xs text-muted">{t('by', { by })}</span>
    </>
  );
}
