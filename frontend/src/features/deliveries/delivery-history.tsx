import { Clock, PencilLine, Split } from 'lucide-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useNameOf } from '@/i18n/texts';
import { formatDateTime } from '@/lib/dates';
import { Panel, PanelHead } from '@/ui/panel';
import { statusLook } from '@/ui/status-chip';
import { Tag } from '@/ui/tag';
import { Timeline, type TimelineEntry } from '@/ui/timeline';
import type { Attempt } from './attempts';
import type { HistoryStep } from './delivery-queries';
import { DifferenceList } from './difference-list';
import type { Reasons } from './use-reasons';

interface DeliveryHistoryProps {
  attempt: Attempt;
  reasons: Reasons;
  timeZone: string;
}

// The history also shows when a step was received, if that was more than this after it occurred.
const SAME_MS = 60_000;

/** History steps in the order they were received, newest first. */
export function DeliveryHistory({ attempt, reasons, timeZone }: DeliveryHistoryProps) {
  const { t } = useTranslation(['deliveries', 'common']);
  const nameOf = useNameOf();
  const id = useId();

  function metaOf(step: HistoryStep): string {
    const actor = nameOf('deliveries:history.actors', step.actorType);
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
      // A superseded step never became the delivery's status, so it has no status color.
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

interface HistoryChangesProps {
  changes: HistoryStep['changes'];
  reasons: Reasons;
  timeZone: string;
}

/** Expandable list of the fields that a step changed. */
function HistoryChanges({ changes, reasons, timeZone }: HistoryChangesProps) {
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

type Marked = Pick<HistoryStep, 'late' | 'superseded' | 'correctionOf'>;

/** Flags of a step, such as superseded or corrected. */
function HistoryMarks({ step }: { step: Marked }) {
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
