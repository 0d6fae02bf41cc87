import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useTimeZone } from '@/data/use-time-zone';
import { formatDateTime, formatElapsed } from '@/lib/dates';
import { formatBytes, formatCount } from '@/lib/numbers';
import { Panel, PanelHead } from '@/ui/panel';
import type { UploadLog } from './queries';
import { elapsedMs } from './upload-status';

const FACTS = ['deliveries', 'items', 'source', 'mode', 'size', 'by', 'at', 'took'] as const;
type FactName = (typeof FACTS)[number];

export function ImportFacts({ log }: { log: UploadLog }) {
  const { t } = useTranslation('imports');
  const timeZone = useTimeZone();
  const id = useId();
  const facts: Partial<Record<FactName, string>> = {
    // Leave out the created deliveries for a check, because it creates none.
    ...(!['validated', 'checking'].includes(log.status) && {
      deliveries: formatCount(log.deliveriesCreated),
      items: formatCount(log.itemsCreated),
    }),
    source: log.source?.name ?? log.sourceId,
    mode: t(`mode.short.${log.mode}`),
    size: formatBytes(log.sizeBytes),
    by: log.uploadedBy,
    at: formatDateTime(log.createdAt, timeZone),
    ...(log.finishedAt && {
      took: formatElapsed(elapsedMs(log, Date.parse(log.finishedAt))),
    }),
  };
  return (
    <Panel aria-labelledby={id}>
      <PanelHead id={id} title={t('facts.title')} />
      <dl className="flex flex-col gap-2 px-4 pt-0.5 pb-4 text-sm">
        {FACTS.filter((name) => facts[name] !== undefined).map((name) => (
          <div key={name} className="flex justify-between gap-4">
            <dt className="shrink-0 text-muted">{t(`facts.${name}`)}</dt>
            <dd className="text-end wrap-anywhere tabular-nums">{facts[name]}</dd>
          </div>
        ))}
        {log.columns.map(({ heading, reading }) => (
          <div key={heading} className="flex justify-between gap-4">
            <dt className="wrap-anywhere text-muted">{heading}</dt>
            <dd className="shrink-0 text-end">{t(`facts.readings.${reading}`)}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}
