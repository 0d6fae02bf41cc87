import { useMemo, useState } from 'react';
import { type AppError, normalizeError } from '@/data/errors';
import { newUuid } from '@/lib/uuid';
import type { Delivery, DeliveryAction } from './delivery-queries';
import { type Difference, differencesBetween } from './differences';

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
