import { Check } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { cn } from '@/ui/cn';
import type { UploadLog } from './queries';
import { isRunning } from './upload-status';

type Step = 'file' | 'columns' | 'values' | 'review' | 'import' | 'result';

/** Returns the step that an import is at; undefined once it has a result. */
function currentStep({ status, valuesUndecided }: UploadLog): Step | undefined {
  if (status === 'needs_mapping') return 'columns';
  if (status === 'validated' && valuesUndecided > 0) return 'values';
  if (status === 'checking' || status === 'validated') return 'review';
  return isRunning(status) ? 'import' : undefined;
}

/** The steps of an import that has no result yet. Lists only steps that this import has. */
export function ImportSteps({ log, className }: { log: UploadLog; className?: string }) {
  const { t } = useTranslation('imports');
  const current = currentStep(log);
  if (!current) return null;
  const all: (Step | false)[] = [
    'file',
    (log.columnsChosen || current === 'columns') && 'columns',
    log.valuesToMatch > 0 && 'values',
    (log.dryRun || current === 'review') && 'review',
    'import',
    'result',
  ];
  const steps = all.filter((step) => step !== false);
  const at = steps.indexOf(current);
  return (
    <ol
      aria-label={t('steps.label')}
      className={cn('flex min-w-0 items-center gap-2 text-sm sm:gap-3', className)}
    >
      {steps.map((step, index) => (
        <li
          key={step}
          aria-current={index === at ? 'step' : undefined}
          className={cn('flex items-center gap-2 sm:gap-3', index === at ? 'font-medium' : 'text-muted')}
        >
          {index > 0 && <span aria-hidden className="h-px w-3 shrink-0 bg-line2 sm:w-6" />}
          <span className="flex items-center gap-2">
            <span
              aria-hidden
              className={cn(
                'flex size-6 shrink-0 items-center justify-center rounded-full border text-xs font-medium tabular-nums',
                index < at && 'border-transparent bg-ok-soft text-ok',
                index === at && 'border-transparent bg-accent text-accent-fg',
                index > at && 'border-line2 bg-surface',
              )}
            >
              {index < at ? <Check className="size-3.5" strokeWidth={2.5} /> : index + 1}
            </span>
            {/* On a phone, only the current step has room for its name. */}
            <span className={cn(index !== at && 'max-sm:sr-only')}>
              {t(`steps.${step}`)}
              {index < at && <span className="sr-only">, {t('steps.done')}</span>}
            </span>
          </span>
        </li>
      ))}
    </ol>
  );
}
