import { RefreshCw } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type AppError, normalizeError } from '@/data/errors';
import { useTimeZone } from '@/data/use-time-zone';
import { formatDateTime } from '@/lib/dates';
import { newUuid } from '@/lib/uuid';
import { Button } from '@/ui/button';
import { Note } from '@/ui/note';
import type { Delivery, DeliveryAction } from './delivery-queries';
import { type Difference, differencesBetween } from './differences';
import type { Reasons } from './use-reasons';

export interface Change {
  /** The delivery as whoever fills the form saw it; what is sent stands on its version. */
  base: Delivery;
  /** Names this one event, however often it is sent. */
  clientEventId: string;
  failure: AppError | undefined;
  /** What somebody else has changed since. */
  differences: readonly Difference[];
  isBehind: boolean;
  /** What was sent was refused because of that. */
  isRefused: boolean;
  /** Refused for something that does not show here: sent again, it goes through. */
  isHarmless: boolean;
  /** The action is none of this person's any more, as the delivery is now. */
  isGone: boolean;
  /** To be called before each try. */
  begin: () => void;
  /** To be called with what a try failed with. Answers nothing when somebody else was faster. */
  refuse: (error: unknown) => AppError | undefined;
  /** Stands on the delivery as it is now. */
  rebase: () => void;
  /** To be called once it is saved: from then on what is new is one's own. */
  settle: () => void;
}

/** A form that is filled while others work on the same delivery: nobody's change is lost. */
export function useChange(
  latest: Delivery,
  action: DeliveryAction,
  onReload: () => void,
): Change {
  const [base, setBase] = useState(latest);
  const [failure, setFailure] = useState<AppError>();
  const [refusedVersion, setRefusedVersion] = useState<number>();
  const [clientEventId] = useState(newUuid);
  const [isSettled, setSettled] = useState(false);
  const differences = useMemo(
    () => (isSettled ? [] : differencesBetween(base, latest)),
    [base, latest, isSettled],
  );
  const isBehind = latest.version > base.version && !isSettled;
  // Evidence that was added, say: nothing to ask anybody about.
  if (isBehind && differences.length === 0) setBase(latest);

  return {
    base,
    clientEventId,
    failure,
    differences,
    isBehind,
    isRefused: refusedVersion !== undefined,
    isHarmless: refusedVersion !== undefined && refusedVersion < base.version,
    isGone: !isSettled && !latest.allowedActions.includes(action),
    begin() {
      setFailure(undefined);
      setRefusedVersion(undefined);
    },
    refuse(error) {
      const failed = normalizeError(error);
      if (failed.reason === 'DELIVERY_CHANGED') {
        setRefusedVersion(base.version);
        onReload();
        return undefined;
      }
      // What was sent before an answer was lost did arrive: the delivery tells.
      if (failed.reason === 'CLIENT_EVENT_REUSED') onReload();
      setFailure(failed);
      return failed;
    },
    rebase() {
      setBase(latest);
      setFailure(undefined);
      setRefusedVersion(undefined);
    },
    settle: () => setSettled(true),
  };
}

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

interface DifferenceListProps {
  differences: readonly Difference[];
  reasons: Reasons;
  timeZone: string;
}

// A delivery may have a thousand lines, and an outcome counts each of them.
const MOST = 50;

export function DifferenceList({ differences, reasons, timeZone }: DifferenceListProps) {
  const { t } = useTranslation('deliveries');
  const textOf = useFieldText(reasons, timeZone);
  const rest = differences.length - MOST;
  return (
    <ul className="mt-1 flex flex-col gap-1 text-xs">
      {differences.slice(0, MOST).map(({ itemNumber, field, before, after }) => (
        <li key={`${itemNumber ?? ''}/${field}`} className="wrap-anywhere">
          <span className="text-muted">
            {itemNumber !== null && `${t('history.item', { item: itemNumber })} `}
            {t(`fields.${field}`, { defaultValue: field })}:
          </span>{' '}
          <del className="text-muted">{textOf(field, before)}</del> <span aria-hidden>→</span>{' '}
          <ins className="no-underline">{textOf(field, after)}</ins>
        </li>
      ))}
      {rest > 0 && <li>{t('history.more', { count: rest })}</li>}
    </ul>
  );
}

const TIMES = new Set(['scheduledatetime', 'deliverydatetime', 'timeWindowStart', 'timeWindowEnd']);

/** A field's value as the history keeps it, in words. */
function useFieldText(reasons: Reasons, timeZone: string) {
  const { t } = useTranslation(['deliveries', 'common']);
  return (field: string, value: string | null): string => {
    if (value === null || value === '') return t('none', { ns: 'common' });
    if (TIMES.has(field)) return formatDateTime(value, timeZone) || value;
    if (field === 'deliverystatus') {
      return t(`status.delivery.${value}`, { ns: 'common', defaultValue: value });
    }
    if (field === 'receivedByRelation') return t(`relation.${value}`, { defaultValue: value });
    if (field === 'condition') return t(`condition.${value}`, { defaultValue: value });
    if (field === 'priority') return t(`priority.${value}`, { defaultValue: value });
    if (field === 'varianceReason') return reasons.label('variance', value) ?? value;
    if (field === 'outcomeReason') {
      // The list it is from is not kept beside it.
      const known = reasons.find('undelivered', value) ?? reasons.find('rejected', value);
      return known?.label ?? value;
    }
    return value;
  };
}
