import type {
  Delivery,
  DeliveryForm,
  DeliveryStatus,
  GeoPoint,
  HistoryStep,
  Relation,
  Variance,
} from './delivery-queries';

/** One delivery attempt with its outcome and proof of delivery. */
export interface Attempt {
  number: number;
  isCurrent: boolean;
  /** Pending until an outcome is recorded. */
  status: DeliveryStatus;
  reason: string | null;
  note: string | null;
  occurredAt: string | null;
  receivedAt: string | null;
  late: boolean;
  /**
   * Whether it was completed before its dispatch time. Known for the current attempt only, since the dispatch times of
   * earlier attempts are not kept.
   */
  early: boolean;
  point: GeoPoint | null;
  /** Distance to the planned location in meters. Known for the current attempt only. */
  distance: number | null;
  receivedBy: string | null;
  relation: Relation | null;
  attachments: Delivery['attachments'];
  variances: Variance[];
  history: HistoryStep[];
  forms: DeliveryForm[];
}

const inOrder = (one: HistoryStep, other: HistoryStep) =>
  Date.parse(one.receivedAt) - Date.parse(other.receivedAt);

const isBefore = (instant: string | null, other: string) =>
  instant !== null && Date.parse(instant) < Date.parse(other);

/**
 * Looks up what the outcome of an attempt was when the next attempt began, by field. Undefined if the history doesn't
 * have it.
 */
function outcomeBefore(history: readonly HistoryStep[], next: number) {
  const begin = history.find(
    ({ attempt, changes }) => attempt === next && changes.some(({ field }) => field === 'attempt'),
  );
  if (!begin) return undefined;
  const own = begin.changes.filter(({ itemNumber }) => itemNumber === null);
  const values = new Map(own.map(({ field, before }) => [field, before]));
  // The next attempt has no outcome yet, so a field that didn't change was empty.
  return (field: string) => values.get(field) ?? null;
}

function pointOf(valueOf: (field: string) => string | null): GeoPoint | null {
  const [lat, lng, accuracy] = ['outcomeLat', 'outcomeLng', 'outcomeAccuracy'].map(valueOf);
  if (!lat || !lng) return null;
  return { lat: Number(lat), lng: Number(lng), accuracy: accuracy ? Number(accuracy) : null };
}

/**
 * Returns an attempt. The current attempt is in the delivery itself. An earlier attempt is in its history: its status
 * in the last step, its times in the step that recorded the outcome, and the rest in the step that began the next
 * attempt. A correction has a time and a note of its own, which are not those of the outcome.
 */
export function attemptOf(delivery: Delivery, number: number): Attempt {
  const isCurrent = number === delivery.attempt;
  const own = <Entry extends { attempt: number }>(entries: readonly Entry[]) =>
    entries.filter(({ attempt }) => attempt === number);
  const history = own(delivery.history).toSorted(inOrder);
  const shared = {
    number,
    isCurrent,
    attachments: own(delivery.attachments),
    variances: own(delivery.variances),
    forms: own(delivery.forms),
    history,
  };
  if (isCurrent) {
    return {
      ...shared,
      status: delivery.deliverystatus,
      reason: delivery.outcomeReason,
      note: delivery.outcomeNote,
      occurredAt: delivery.outcomeOccurredAt,
      receivedAt: delivery.outcomeReceivedAt,
      late: delivery.late,
      early: isBefore(delivery.deliverydatetime, delivery.scheduledatetime),
      point: delivery.outcomePoint,
      distance: delivery.outcomeDistanceM,
      receivedBy: delivery.receivedBy,
      relation: delivery.receivedByRelation,
    };
  }
  const counted = history.filter(({ superseded }) => !superseded);
  const end = counted.at(-1);
  const recorded =
    counted.findLast(({ toStatus, correctionOf }) => toStatus !== 'Pending' && correctionOf === null) ?? end;
  const valueOf = outcomeBefore(delivery.history, number + 1);
  return {
    ...shared,
    status: end?.toStatus ?? 'Pending',
    reason: (valueOf ? valueOf('outcomeReason') : end?.reasonCode) ?? null,
    note: (valueOf ? valueOf('outcomeNote') : end?.note) ?? null,
    occurredAt: recorded?.occurredAt ?? null,
    receivedAt: recorded?.receivedAt ?? null,
    late: recorded?.late ?? false,
    early: false,
    point: (valueOf ? pointOf(valueOf) : end?.point) ?? null,
    distance: null,
    receivedBy: valueOf?.('receivedBy') ?? null,
    relation: (valueOf?.('receivedByRelation') ?? null) as Relation | null,
  };
}

/** Returns the attempt that the address selects, or the current one if there is no such attempt. */
export function attemptAsked(delivery: Delivery, asked: string | undefined): number {
  const number = Number(asked);
  const isOne = Number.isInteger(number) && number >= 1 && number <= delivery.attempt;
  return asked !== undefined && isOne ? number : delivery.attempt;
}
