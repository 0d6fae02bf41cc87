import { deliveryRow } from './deliveries';

export function deliveryItem(itemNumber: string, changes: Record<string, unknown> = {}) {
  return {
    __typename: 'DeliveryItem',
    itemNumber,
    sku: null,
    description: `Goods ${itemNumber}`,
    unit: 'box',
    quantity: 24,
    weightKg: null,
    barcode: null,
    condition: 'ok',
    quantityDelivered: 0,
    quantityRejected: 0,
    quantityMissing: 0,
    quantityExtra: 0,
    varianceReason: null,
    varianceNote: null,
    ...changes,
  };
}

export function historyStep(id: string, changes: Record<string, unknown> = {}) {
  return {
    __typename: 'DeliveryStatusHistory',
    id,
    fromStatus: null,
    toStatus: 'Pending',
    attempt: 1,
    occurredAt: '2026-11-19T08:15:00Z',
    receivedAt: '2026-11-19T08:15:00Z',
    actorType: 'import',
    actorName: 'rosa',
    reasonCode: null,
    note: null,
    point: null,
    late: false,
    superseded: false,
    correctionOf: null,
    changes: [],
    ...changes,
  };
}

export function attachment(id: string, changes: Record<string, unknown> = {}) {
  return {
    __typename: 'Attachment',
    id,
    deliveryId: 'DR-1',
    attempt: 1,
    itemNumber: null,
    kind: 'photo',
    url: `/objects/proof/${id}.jpg`,
    filename: `${id}.jpg`,
    contentType: 'image/jpeg',
    sizeBytes: 20480,
    sha256: 'ab'.repeat(32),
    width: 1200,
    height: 900,
    capturedAt: '2026-11-20T02:58:00Z',
    receivedAt: '2026-11-20T02:59:00Z',
    point: null,
    capturedBy: 'Rico Santos',
    source: 'driver_app',
    addedAfterCompletion: false,
    note: null,
    ...changes,
  };
}

export function variance(id: string, changes: Record<string, unknown> = {}) {
  return {
    __typename: 'Variance',
    id,
    attempt: 1,
    itemNumber: '20',
    kind: 'damaged',
    reason: 'Damaged in transit',
    expectedQuantity: 24,
    actualQuantity: 22,
    difference: -2,
    note: 'Carla Tan asks for a credit memo',
    reportedBy: 'driver',
    occurredAt: '2026-11-20T03:08:00Z',
    ...changes,
  };
}

/** A pending delivery with the fields that its pages request: two items, and all actions allowed in that status. */
export function fullDelivery(changes: Record<string, unknown> = {}) {
  return {
    ...deliveryRow(1),
    version: 3,
    uploadLogId: null,
    incompleteUploadLogId: null,
    customeraddress: '6780 Ayala Avenue, Makati City',
    addressPoint: null,
    timeWindowStart: null,
    timeWindowEnd: null,
    contactName: null,
    contactPhone: null,
    contactEmail: null,
    instructions: null,
    internalNote: null,
    priority: 'normal',
    attempt: 1,
    maxAttempts: 3,
    createdAt: '2026-11-19T08:15:00Z',
    createdBy: 'rosa',
    updatedAt: '2026-11-20T03:08:00Z',
    updatedBy: 'rico',
    allowedActions: [
      'edit',
      'edit_items',
      'complete',
      'mark_undelivered',
      'reject',
      'assign_driver',
      'add_evidence',
      'print',
    ],
    podRequirement: [],
    conflict: false,
    late: false,
    outcomeReason: null,
    outcomeNote: null,
    outcomeOccurredAt: null,
    outcomeReceivedAt: null,
    outcomePoint: null,
    outcomeDistanceM: null,
    receivedBy: null,
    receivedByRelation: null,
    formVersion: 0,
    items: [deliveryItem('10', { quantity: 40 }), deliveryItem('20')],
    variances: [],
    attachments: [],
    forms: [],
    history: [historyStep('h1')],
    shipment: null,
    source: null,
    ...changes,
  };
}

/** The same delivery, completed with a variance and proof. */
export function completedDelivery(changes: Record<string, unknown> = {}) {
  return fullDelivery({
    deliverystatus: 'Complete_With_Variance',
    deliverydatetime: '2026-11-20T03:08:00Z',
    scanmode: 'Yes',
    allowedActions: ['assign_driver', 'correct_lines', 'correct_status', 'add_evidence', 'print'],
    outcomeOccurredAt: '2026-11-20T03:08:00Z',
    outcomeReceivedAt: '2026-11-20T03:08:20Z',
    outcomeNote: 'Two cases leaked on the lower layer.',
    receivedBy: 'Carla Tan',
    receivedByRelation: 'colleague',
    formVersion: 1,
    items: [
      deliveryItem('10', { quantity: 40, quantityDelivered: 40 }),
      deliveryItem('20', {
        quantityDelivered: 22,
        quantityMissing: 2,
        condition: 'damaged',
        varianceReason: 'damaged_in_transit',
      }),
    ],
    variances: [variance('v1')],
    forms: [
      {
        __typename: 'DeliveryForm',
        formVersion: 1,
        attempt: 1,
        status: 'Complete_With_Variance',
        issuedAt: '2026-11-20T03:08:21Z',
        issuedBy: 'rico',
        supersededBy: null,
      },
    ],
    history: [
      historyStep('h1'),
      historyStep('h2', {
        fromStatus: 'Pending',
        toStatus: 'Complete_With_Variance',
        occurredAt: '2026-11-20T03:08:00Z',
        receivedAt: '2026-11-20T03:08:20Z',
        actorType: 'driver',
        actorName: 'Rico Santos',
      }),
    ],
    ...changes,
  });
}

function reason(appliesTo: string, code: string, label: string, changes = {}) {
  return {
    __typename: 'Reason',
    appliesTo,
    code,
    label,
    requiresNote: false,
    requiresPhoto: false,
    isActive: true,
    order: 1,
    ...changes,
  };
}

export const reasonsAnswer = {
  data: {
    reasons: [
      reason('variance', 'short_shipped', 'Short shipped'),
      reason('variance', 'damaged_in_transit', 'Damaged in transit', { requiresPhoto: true, order: 2 }),
      reason('variance', 'quality_refused', 'Quality refused', { requiresNote: true, order: 3 }),
      reason('variance', 'retired', 'Retired', { isActive: false, order: 4 }),
      reason('undelivered', 'recipient_absent', 'Recipient absent'),
      reason('undelivered', 'other', 'Other', { requiresNote: true, order: 2 }),
      reason('undelivered', 'shared', 'Site closed', { isActive: false, order: 3 }),
      reason('rejected', 'shared', 'Refused at the gate', { isActive: false, order: 3 }),
      reason('rejected', 'refused_late', 'Refused: late'),
      reason('rejected', 'refused_all_damaged', 'Refused: all damaged', { requiresPhoto: true, order: 2 }),
    ],
  },
};

/** The server's error for a version conflict. */
export const deliveryChanged = {
  errors: [
    {
      message: 'DR-1 was changed in the meantime. Reload it and try again.',
      extensions: { code: 'FAILED_PRECONDITION', reason: 'DELIVERY_CHANGED' },
    },
  ],
};

/** A validation error with messages by field. */
export function refusedFields(messages: Record<string, string[]>) {
  return {
    errors: [
      {
        message: 'DR-1 cannot go on',
        extensions: { code: 'BAD_USER_INPUT', properties: { messages } },
      },
    ],
  };
}
