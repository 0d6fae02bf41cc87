import { RefreshCw } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useTimeZone } from '@/data/use-time-zone';
import { formatDateTime } from '@/lib/dates';
import { Button } from '@/ui/button';
import { Note } from '@/ui/note';
import type { Delivery } from '../delivery-queries';
import type { Change } from '../use-change';
import type { Reasons } from '../use-reasons';
import { DifferenceList } from './difference-list';

interface ChangedNoteProps {
  change: Change;
  latest: Delivery;
  reasons: Reasons;
  /** Takes over what others changed and leaves what was typed here. */
  onKeep: () => void;
  /** Reads the delivery anew. */
  onReload: () => void;
}

/** Somebody else changed the delivery: what, and how to go on without losing either side. */
export function ChangedNote(props: ChangedNoteProps) {
  const { change, latest, reasons, onKeep, onReload } = props;
  const { isBehind, isRefused, isHarmless, isGone, differences } = change;
  const { t } = useTranslation(['outcomes', 'common']);
  const timeZone = useTimeZone();
  const box = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (isRefused) box.current?.focus();
  }, [isRefused]);

  if (!isBehind && !isRefused && !isGone) return null;
  const status = t(`status.delivery.${latest.deliverystatus}`, { ns: 'common' });
  return (
    <Note
      ref={box}
      tone="warn"
      // What was just tried failed; without that it may wait.
      role={isRefused ? 'alert' : 'status'}
      title={
        isBehind || isHarmless
          ? t('changed.title', {
              by: latest.updatedBy,
              at: formatDateTime(latest.updatedAt, timeZone),
            })
          : t(isGone ? 'changed.gone' : 'changed.refused')
      }
    >
      {isRefused && <p>{t(isHarmless ? 'changed.again' : 'changed.notSaved')}</p>}
      <DifferenceList differences={differences} reasons={reasons} timeZone={timeZone} />
      {isGone ? (
        <p className="mt-1">{t('changed.goneText', { status })}</p>
      ) : (
        !isHarmless && (
          <Button
            size={28}
            icon={RefreshCw}
            className="mt-2"
            onClick={isBehind ? onKeep : onReload}
          >
            {t(isBehind ? 'changed.keep' : 'changed.reload')}
          </Button>
        )
      )}
    </Note>
  );
}
