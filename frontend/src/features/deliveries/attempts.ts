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
 * Returns an attempt. The current attempt is in the delivery itself; each earlier attempt is in the history step that
 * ended it.
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
  const end = history.findLast(({ superseded }) => !superseded);
  return {
    ...shared,
    status: end?.toStatus ?? 'Pending',
    reason: end?.reasonCode ?? null,
    note: end?.note ?? null,
    occurredAt: end?.occurredAt ?? null,
    receivedAt: end?.receivedAt ?? null,
    late: end?.late ?? false,
    early: false,
    point: end?.point ?? null,
    distance: null,
    receivedBy: null,
    relation: null,
  };
}

/** Returns the attempt that the address selects, or the current one if there is no such attempt. */
export function attemptAsked(delivery: Delivery, asked: string | undefined): number {
  const number = Number(asked);
  const isOne = Number.isInteger(number) && number >= 1 && number <= delivery.attempt;
  return asked !== undefined && isOne ? number : delivery.attempt;
}
