import { Clock, PencilLine, Split } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Tag } from '@/ui/tag';
import type { HistoryStep } from '../delivery-queries';

type Marked = Pick<HistoryStep, 'late' | 'superseded' | 'correctionOf'>;

/** What is unusual about a step. */
export function HistoryMarks({ step }: { step: Marked }) {
  const { t } = useTranslation('deliveries');
  if (!step.late && !step.superseded && step.correctionOf === null) return null;
  return (
    <span className="mt-1 flex flex-wrap gap-1.5">
      {step.correctionOf !== null && (
        <Tag tone="info" icon={PencilLine}>
          {t('history.correction')}
        </Tag>
      )}
      {step.late && (
        <Tag tone="warn" icon={Clock}>
          {t('history.late')}
        </Tag>
      )}
      {step.superseded && (
        <Tag tone="warn" icon={Split}>
          {t('history.superseded')}
        </Tag>
      )}
    </span>
  );
}
