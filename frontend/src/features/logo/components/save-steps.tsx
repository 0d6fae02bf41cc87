import { CircleCheck, CircleDashed, LoaderCircle } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { cn } from '@/ui/cn';
import { Panel } from '@/ui/panel';
import { ProgressBar } from '@/ui/progress-bar';
import type { LogoProgress } from '../use-save-logo';

/** How far a save has come. */
export function SaveSteps({ progress }: { progress: LogoProgress }) {
  const { t } = useTranslation('logo');
  const { steps, step, share } = progress;
  const current = steps.indexOf(step);
  return (
    <Panel aria-label={t('steps.title')} className="p-4">
      <p role="status" className="flex justify-between gap-3 text-sm font-medium">
        {t('steps.title')}
        <span className="font-normal text-muted tabular-nums">
          {t('steps.position', { position: current + 1, count: steps.length })}
        </span>
      </p>
      <ol className="mt-3 flex flex-col gap-2 text-sm">
        {steps.map((name, index) => {
          const Icon = index < current ? CircleCheck : index > current ? CircleDashed : LoaderCircle;
          return (
            <li
              key={name}
              aria-current={index === current ? 'step' : undefined}
              className={cn('flex items-center gap-2', index > current && 'text-muted')}
            >
              <Icon
                aria-hidden
                className={cn(
                  'size-4 shrink-0',
                  index < current && 'text-ok',
                  index === current && 'animate-spin text-accent',
                )}
              />
              <span className="flex-1">{t(`steps.${name}`)}</span>
              {name === 'upload' && index === current && (
                <>
                  <ProgressBar label={t('steps.upload')} value={share} className="w-20" />
                  <span className="w-9 text-right text-muted tabular-nums">
                    {Math.round(share * 100)}%
                  </span>
                </>
              )}
            </li>
          );
        })}
      </ol>
    </Panel>
  );
}
