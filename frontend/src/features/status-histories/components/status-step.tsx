import { ArrowRight } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { StatusChip } from '@/ui/status-chip';
import type { HistoryStep } from '../queries';

/** From one status to the other; of the first step there is no from. */
export function StatusStep({ step }: { step: Pick<HistoryStep, 'fromStatus' | 'toStatus'> }) {
  const { t } = useTranslation('status-histories');
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5">
      {step.fromStatus && (
        <>
          <StatusChip kind="delivery" status={step.fromStatus} />
          <ArrowRight aria-hidden className="size-3.5 shrink-0 text-muted" />
          <span className="sr-only">{t('becomes')}</span>
        </>
      )}
      <StatusChip kind="delivery" status={step.toStatus} />
    </span>
  );
}
