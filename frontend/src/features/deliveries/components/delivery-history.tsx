import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '@/lib/dates';
import { Panel, PanelHead } from '@/ui/panel';
import { statusLook } from '@/ui/statuses';
import { Timeline, type TimelineEntry } from '@/ui/timeline';
import type { Delivery } from '../queries';

interface DeliveryHistoryProps {
  history: Delivery['history'];
  timeZone: string;
}

export function DeliveryHistory({ history, timeZone }: DeliveryHistoryProps) {
  const { t } = useTranslation(['deliveries', 'common']);
  const id = useId();
  const newestFirst = history.toSorted(
    (one, other) => Date.parse(other.occurredAt) - Date.parse(one.occurredAt),
  );
  const severalAttempts = history.some(({ attempt }) => attempt > 1);

  const entries = newestFirst.map((change): TimelineEntry => {
    const look = statusLook({ kind: 'delivery', status: change.toStatus });
    const actor = t(`history.actors.${change.actorType}`, { defaultValue: change.actorType });
    const who = change.actorName && change.actorName !== actor ? `${change.actorName}, ${actor}` : actor;
    const notes = [
      severalAttempts && t('history.attempt', { attempt: change.attempt }),
      change.note,
    ].filter(Boolean);
    return {
      id: change.id,
      icon: look.icon,
      tone: look.tone,
      title: t(`common:status.delivery.${change.toStatus}`),
      meta: t('history.meta', { at: formatDateTime(change.occurredAt, timeZone), actor: who }),
      text: notes.join(' · '),
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
