import { Clock } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { isLate } from '@/driver-activity/late';
import { Tag } from '@/ui/tag';
import type { DriverLogRow } from '../queries';

/** Marks an entry that was told long after it happened. */
export function LateMark({ log }: { log: Pick<DriverLogRow, 'occurredAt' | 'receivedAt'> }) {
  const { t } = useTranslation('driver-activity');
  if (!isLate(log)) return null;
  return (
    <Tag tone="warn" icon={Clock}>
      {t('late')}
    </Tag>
  );
}
