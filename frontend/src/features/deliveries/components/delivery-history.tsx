import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '@/lib/dates';
import { Panel, PanelHead } from '@/ui/panel';
import { statusLook } from '@/ui/status-chip';
import { Timeline, type TimelineEntry } from '@/ui/timeline';
import type { Attempt } from '../attempts';
import type { HistoryStep } from '../delivery-queries';
import type { Reasons } from '../use-reasons';
import { HistoryChanges } from './history-changes';
import { HistoryMarks } from './history-marks';

interface DeliveryHistoryProps {
  attempt: Attempt;
  reasons: Reasons;
  timeZone: string;
}

// Both clocks are only worth a line where they tell different times.
const SAME_MS = 60_000;

/** Each step as it came to the office, the newest first. */
export function DeliveryHistory({ attempt, reasons, timeZone }: DeliveryHistoryProps) {
  const { t } = useTranslation(['deliveries', 'common']);
  const id = useId();

  function metaOf(step: HistoryStep): string {
    const actor = t(`history.actors.${step.actorType}`, { defaultValue: step.actorType });
    const { actorName } = step;
    const who = actorName && actorName !== actor ? `${actorName}, ${actor}` : actor;
    return t('history.meta', { at: formatDateTime(step.occurredAt, timeZone), actor: who });
  }

  function textOf(step: HistoryStep) {
    const isDelayed = Date.parse(step.receivedAt) - Date.parse(step.occurredAt) > SAME_MS;
    const appliesTo = step.toStatus === 'Rejected' ? 'rejected' : 'undelivered';
    const texts = [reasons.label(appliesTo, step.reasonCode), step.note].filter(Boolean);
    return (
      <>
        {texts.length > 0 && <span className="block whitespace-pre-line">{texts.join(' · ')}</span>}
        {isDelayed && (
          <span className="block text-muted tabular-nums">
            {t('history.received', { at: formatDateTime(step.receivedAt, timeZone) })}
          </span>
        )}
        <HistoryMarks step={step} />
        <HistoryChanges changes={step.changes} reasons={reasons} timeZone={timeZone} />
      </>
    );
  }

  const entries = attempt.history.toReversed().map((step): TimelineEntry => {
    const look = statusLook({ kind: 'delivery', status: step.toStatus });
    return {
      id: step.id,
      icon: look.icon,
      // What was set aside never became the status.
      ...(!step.superseded && { tone: look.tone }),
      title: t(`common:status.delivery.${step.toStatus}`),
      meta: metaOf(step),
      text: textOf(step),
    };
  });

  return (
    <Panel aria-labelledby={id}>
      <PanelHead id={id} title={t('history.title')} />
      <div className="px-4 pt-1 pb-4">
        {entries.length > 0 ? (
          <Timeline label={t('history.title')} entries={entries} />
        ) : (
          <p className="text-sm text-muted">{t('history.none')}</p>
        )}
      </div>
    </Panel>
  );
}
