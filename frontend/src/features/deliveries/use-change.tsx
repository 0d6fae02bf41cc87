import { RefreshCw } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAuth } from '@/auth/use-auth';
import { type AppError, mayBeSaved, normalizeError } from '@/data/errors';
import { useTimeZone } from '@/data/use-time-zone';
import { type Exit, useLeave } from '@/form/use-leave';
import { formatDateTime } from '@/lib/dates';
import { newUuid } from '@/lib/uuid';
import type { Go } from '@/routing/use-while-here';
import { Button } from '@/ui/button';
import { Note } from '@/ui/note';
import type { Delivery, DeliveryAction } from './delivery-queries';
import { DifferenceList } from './difference-list';
import { type Difference, differencesBetween } from './differences';
import { type Reasons, useRefreshReasons } from './use-reasons';

export interface Change {
  /** The delivery as loaded into the form; its version is sent with the change. */
  base: Delivery;
  /** Idempotency key of this change; the same for every retry, until an earlier attempt turns out to have been saved. */
  clientEventId: string;
  failure: AppError | undefined;
  /** Changes by others since `base`. */
  differences: readonly Difference[];
  isBehind: boolean;
  /**
   * Whether the user made the newer version after an attempt of this form whose answer was lost. It is that attempt, or a
   * change made in another tab.
   */
  isOwn: boolean;
  /** Whether the server refused the change because of these differences. */
  isRefused: boolean;
  /** Whether the conflict affects no visible field, so that saving again will succeed. */
  isHarmless: boolean;
  /** Whether the action is no longer available in the current state. */
  isGone: boolean;
  /** Must be called before each attempt to save. */
  begin: () => void;
  /**
   * Must be called with the error of a failed attempt. Returns undefined for a version conflict, which
   * `ChangedNote` reports.
   */
  refuse: (error: unknown) => AppError | undefined;
  /** Rebases the form onto the current version. */
  rebase: () => void;
  /** For the `UnsavedGuard` of the form. */
  exit: Exit;
  /**
   * Must be called after saving, because the next version of the delivery is then our own change. Leaves the page by `go`,
   * unless the user has left it.
   */
  settle: (go: Go) => Promise<void>;
}

/** Tracks edits by others while a form about a delivery is open, so that the form overwrites no change. */
export function useChange(
  latest: Delivery,
  action: DeliveryAction,
  onReload: () => void,
): Change {
  const { t } = useTranslation('outcomes');
  const [base, setBase] = useState(latest);
  const [failure, setFailure] = useState<AppError>();
  const [refusedVersion, setRefusedVersion] = useState<number>();
  const [lostVersion, setLostVersion] = useState<number>();
  const username = useAuth().currentUser?.username;
  const [clientEventId, setClientEventId] = useState(newUuid);
  const [isSettled, setSettled] = useState(false);
  const { exit, leave } = useLeave();
  const refreshReasons = useRefreshReasons();
  const differences = useMemo(
    () => (isSettled ? [] : differencesBetween(base, latest)),
    [base, latest, isSettled],
  );
  const isBehind = latest.version > base.version && !isSettled;
  // Nothing that the form shows has changed; for example, only an attachment was added.
  if (isBehind && differences.length === 0) setBase(latest);

  return {
    base,
    clientEventId,
    failure,
    differences,
    isBehind,
    isOwn: isBehind && lostVersion === base.version && latest.updatedBy === username,
    isRefused: refusedVersion !== undefined,
    isHarmless: refusedVersion !== undefined && refusedVersion < base.version,
    isGone: !isSettled && !latest.allowedActions.includes(action),
    begin() {
      setFailure(undefined);
      setRefusedVersion(undefined);
    },
    refuse(error) {
      const failed = normalizeError(error);
      if (mayBeSaved(failed)) setLostVersion(base.version);
      if (failed.reason === 'DELIVERY_CHANGED') {
        setRefusedVersion(base.version);
        onReload();
        return undefined;
      }
      // The server did receive the first request, but its response was lost. Reload to show the result; what is saved
      // from here on is another change.
      if (failed.reason === 'CLIENT_EVENT_REUSED') {
        setClientEventId(newUuid());
        onReload();
        const saved: AppError = { kind: 'server', message: t('changed.earlierSaved'), fields: {} };
        setFailure(saved);
        return saved;
      }
      // Reasons, and the proof that they require, may have changed since the form was opened.
      if (failed.kind === 'input') refreshReasons();
      setFailure(failed);
      return failed;
    },
    rebase() {
      setBase(latest);
      setFailure(undefined);
      setRefusedVersion(undefined);
    },
    exit,
    settle(go) {
      setSettled(true);
      return leave(go);
    },
  };
}

interface ChangedNoteProps {
  change: Change;
  latest: Delivery;
  reasons: Reasons;
  /** Applies the changes of others and keeps the form's own edits. */
  onKeep: () => void;
  /** Reloads the delivery. */
  onReload: () => void;
}

/** Lists what others changed on the delivery and offers ways to resolve the conflict. */
export function ChangedNote(props: ChangedNoteProps) {
  const { change, latest, reasons, onKeep, onReload } = props;
  const { isBehind, isOwn, isRefused, isHarmless, isGone, differences } = change;
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
      // Interrupt the screen reader only after a failed save.
      role={isRefused ? 'alert' : 'status'}
      title={
        isBehind || isHarmless
          ? t(isOwn ? 'changed.own' : 'changed.title', {
              by: latest.updatedBy,
              at: formatDateTime(latest.updatedAt, timeZone),
            })
          : t(isGone ? 'changed.gone' : 'changed.refused')
      }
    >
      {isRefused && <p>{t(isHarmless ? 'changed.again' : isOwn ? 'changed.ownText' : 'changed.notSaved')}</p>}
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
