import { useTranslation } from 'react-i18next';
import type { HistoryStep } from '../delivery-queries';
import type { Reasons } from '../use-reasons';
import { DifferenceList } from './difference-list';

interface HistoryChangesProps {
  changes: HistoryStep['changes'];
  reasons: Reasons;
  timeZone: string;
}

/** Which fields a step changed, on demand. */
export function HistoryChanges({ changes, reasons, timeZone }: HistoryChangesProps) {
  const { t } = useTranslation('deliveries');
  if (changes.length === 0) return null;
  return (
    <details className="mt-1">
      <summary className="cursor-pointer text-accent hover:underline">
        {t('history.changes', { count: changes.length })}
      </summary>
      <DifferenceList differences={changes} reasons={reasons} timeZone={timeZone} />
    </details>
  );
}
