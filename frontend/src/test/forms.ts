import { deliveryRow } from './deliveries';

export function attachment(id: string, changes: Record<string, unknown> = {}) {
  return {
    __typename: 'Attachment',
    id,
    deliveryId: 'DR-1184102',
    attempt: 1,
    itemNumber: null,
    kind: 'photo',
    url: `/objects/${id}.jpg`,
    filename: `${id}.jpg`,
    contentType: 'image/jpeg',
    sizeBytes: 1000,
    sha256: 'ab',
    width: 800,
    height: 600,
    capturedAt: '2026-11-20T03:01:00Z',
    receivedAt: '2026-11-20T03:02:00Z',
    point: null,
    capturedBy: 'Rico Santos',
    source: 'driver_app',
    addedAfterCompletion: false,
    note: null,
    ...changes,
  };
}

function item(itemNumber: string, quantity: number, quantityDelivered: number) {
  return {
    __typename: 'DeliveryItem',
    itemNumber,
    sku: null,
    description: `Goods ${itemNumber}`,
    unit: 'box',
    quantity,
    condition: 'ok',
    quantityDelivered,
    quantityRejected: 0,
    varianceNote: null,
  };
}

/** What a form holds: one line as expected, one short. */
export function formContent(changes: Record<string, unknown> = {}) {
  return {
    __typename: 'FormContent',
    reason: null,
    correctionReason: null,
    items: [item('10', 40, 40), { ...item('20', 24, 22), varianceNote: 'Leaked' }],
    variances: [
      {
        __typename: 'Variance',
        id: 'v1',
        itemNumber: '20',
        reason: 'Damaged in transit',
        note: null,
      },
    ],
    attachments: [],
    ...changes,
    delivery: {
      ...deliveryRow(1),
      id: 'DR-1184102',
      customeraddress: '6780 Ayala Avenue, Makati City',
      contactName: 'Carla Tan',
      contactPhone: '+63 917 555 0132',
      attempt: 1,
      maxAttempts: 3,
      scanmode: 'Yes',
      addressPoint: { __typename: 'GeoPoint', lat: 14.559, lng: 121.02, accuracy: null },
      outcomePoint: { __typename: 'GeoPoint', lat: 14.5593, lng: 121.02, accuracy: 12 },
      outcomeDistanceM: 38,
      outcomeOccurredAt: '2026-11-20T03:08:00Z',
      outcomeReceivedAt: '2026-11-20T03:09:00Z',
      outcomeNote: null,
      late: false,
      receivedBy: 'Carla Tan',
      receivedByRelation: 'colleague',
      ...(changes.delivery as object | undefined),
    },
  };
}

/** One version as the list of versions has it. */
export function formVersion(version: number, changes: Record<string, unknown> = {}) {
  return {
    __typename: 'DeliveryForm',
    formVersion: version,
    attempt: 1,
    status: 'Complete_With_Variance',
    issuedAt: '2026-11-20T03:09:00Z',
    issuedBy: 'Rico Santos',
    supersededBy: null,
    ...changes,
  };
}

/** One version in full. */
export function deliveryForm(version: number, changes: Record<string, unknown> = {}) {
  return {
    ...formVersion(version),
    deliveryId: 'DR-1184102',
    contentHash: 'c0ffee',
    verificationCode: '7KQ2-M4XD',
    content: formContent(),
    ...changes,
  };
}
