import { useTranslation } from 'react-i18next';
import { formatCount } from '@/lib/numbers';
import { cn } from '@/ui/cn';
import { Panel } from '@/ui/panel';
import { SegmentedBar } from '@/ui/progress-bar';
import type { Tone } from '@/ui/tag';
import type { UploadLog } from './queries';
import { isCanceledEmpty } from './upload-status';

interface Part {
  name: 'created' | 'updated' | 'skipped' | 'refused';
  value: number;
  tone: Tone;
  text?: string;
}

/** Returns a function that says in one sentence how many rows a check or an import has read. */
export function useOutcomeSentence(): (log: UploadLog) => string {
  const { t } = useTranslation('imports');
  return ({ status, rowsTotal }) =>
    t(status === 'validated' ? 'check.done' : status === 'failed' ? 'outcome.stopped' : 'outcome.done', {
      count: rowsTotal,
      shown: formatCount(rowsTotal),
    });
}

export function ImportOutcome({ log }: { log: UploadLog }) {
  const { t } = useTranslation('imports');
  const sentenceOf = useOutcomeSentence();
  const checked = log.status === 'validated';
  const labels = checked ? 'check' : 'outcome';
  const parts: Part[] = [
    { name: 'created', value: log.rowsCreated, tone: 'ok' },
    { name: 'updated', value: log.rowsUpdated, tone: 'info' },
    { name: 'skipped', value: log.rowsSkipped, tone: 'warn', text: 'text-warn' },
    { name: 'refused', value: log.rowsFailed, tone: 'bad', text: 'text-bad' },
  ];
  const counts = [{ name: 'read' as const, value: log.rowsTotal, text: undefined }, ...parts];

  return (
    <Panel aria-label={t(`${labels}.title`)} className="p-4">
      {!isCanceledEmpty(log) && (
        <p className="mb-2 text-sm font-medium">{sentenceOf(log)}</p>
      )}
      <SegmentedBar
        label={t(`${labels}.title`)}
        total={Math.max(log.rowsTotal, 1)}
        segments={parts.map(({ name, value, tone }) => ({
          tone,
          value,
          label: t(`${labels}.${name}`),
        }))}
      />
      <dl className="mt-4 grid grid-cols-2 gap-4 sm:grid-cols-5">
        {counts.map(({ name, value, text }) => (
          <div key={name}>
            <dt className="text-xs text-muted">{t(`${labels}.${name}`)}</dt>
            <dd className={cn('text-kpi font-semibold', value > 0 && text)}>
              {formatCount(value)}
            </dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}
