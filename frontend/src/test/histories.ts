/** A history step with the fields that the list requests. */
export function historyStep(id: string, changes: Record<string, unknown> = {}) {
  return {
    __typename: 'DeliveryStatusHistory',
    id,
    deliveryId: 'DR-1184102',
    shipmentnumber: 'SH-26147',
    fromStatus: 'Pending',
    toStatus: 'Complete_With_Variance',
    attempt: 1,
    occurredAt: '2026-11-20T03:08:00Z',
    receivedAt: '2026-11-20T03:09:00Z',
    actorType: 'driver',
    actorName: 'Rico Santos',
    reasonCode: null,
    note: null,
    point: null,
    late: false,
    superseded: false,
    correctionOf: null,
    uploadLogId: null,
    clientEventId: null,
    changes: [],
    ...changes,
  };
}
