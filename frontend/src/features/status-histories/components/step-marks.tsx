import { Clock, Layers, PencilLine } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Tag } from '@/ui/tag';
import type { HistoryStep } from '../queries';

/** What is out of the ordinary about a step. */
export function StepMarks({ step }: { step: HistoryStep }) {
  const { t } = useTranslation('status-histories');
  return (
    <span className="inline-flex flex-wrap gap-1">
      {step.late && (
        <Tag tone="warn" icon={Clock}>
          {t('marks.late')}
        </Tag>
      )}
      {step.superseded && <Tag icon={Layers}>{t('marks.superseded')}</Tag>}
      {step.correctionOf !== null && (
        <Tag tone="info" icon={PencilLine}>
          {t('marks.correction')}
        </Tag>
      )}
    </span>
  );
}
