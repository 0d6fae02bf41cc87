/** A dead letter as the server returns it. */
export function letterRow(id: string, more: object = {}) {
  return {
    __typename: 'DeadLetter',
    id,
    deliveryId: `DR-${id}`,
    method: 'status',
    state: 'failed',
    endpointName: 'ERP',
    errorText: '422: No invoice SI-1',
    attempts: 3,
    resends: 0,
    createdAt: '2026-11-20T06:00:00Z',
    neverFailed: false,
    nextAttemptAt: null,
    processedAt: null,
    ...more,
  };
}

export function letter(id: string, more: object = {}) {
  return {
    ...letterRow(id),
    endpointUrl: 'https://erp.example/hook',
    endpointOff: false,
    endpointPaused: false,
    payload: '{"type":"delivery.status"}',
    editedPayload: null,
    requestHeaders: '{"webhook-signature":"v1,••••"}',
    errorClass: 'http_4xx',
    attemptLog: [
      attempt('2026-11-20T06:00:00Z', { status: 503, error: '503: Service Unavailable' }),
      attempt('2026-11-20T06:00:10Z', { responseBody: '{"message":"No invoice SI-1"}' }),
    ],
    queuedAt: '2026-11-20T05:59:00Z',
    idempotencyKey: 'msg_1',
    discardedBy: null,
    discardReason: null,
    producerName: null,
    replayOf: null,
    waitsBehind: null,
    behind: [],
    behindCount: 0,
    ...more,
  };
}

/** One of the messages of a delivery, which are sent in sequence. */
export function turn(id: string, more: object = {}) {
  return {
    __typename: 'DeadLetterTurn',
    id,
    method: 'create',
    queuedAt: '2026-11-20T05:00:00Z',
    nextAttemptAt: '2026-11-20T11:00:00Z',
    ...more,
  };
}

export function producer(id: string, more: object = {}) {
  return {
    __typename: 'DeadLetterProducer',
    id,
    name: 'erp',
    endpointId: 'e1',
    endpointName: 'ERP',
    isActive: true,
    subject: 'waybill.intake.erp.deadletter.raised.v1',
    tokenMadeAt: '2026-11-20T06:00:00Z',
    version: 3,
    ...more,
  };
}

function attempt(at: string, more: object = {}) {
  return {
    __typename: 'DeadLetterAttempt',
    at,
    status: 422,
    ms: 318,
    error: '422: No invoice SI-1',
    requestBody: null,
    responseBody: null,
    ...more,
  };
}

export function letterGroup(fingerprint: string, more: object = {}) {
  return {
    __typename: 'DeadLetterGroup',
    fingerprint,
    state: 'failed',
    errorText: '422: No invoice SI-1',
    endpointId: 'e1',
    endpointName: 'ERP',
    endpointOff: false,
    endpointPaused: false,
    count: 11,
    firstSeenAt: '2026-11-20T06:00:00Z',
    lastSeenAt: '2026-11-20T07:00:00Z',
    nextAttemptAt: null,
    ...more,
  };
}

export function letterJob(id: string, more: object = {}) {
  return {
    __typename: 'DeadLetterJob',
    id,
    action: 'resend',
    state: 'done',
    total: 1204,
    done: 1204,
    changed: 1200,
    reason: null,
    failureText: null,
    createdBy: 'rosa',
    createdAt: '2026-11-20T07:00:00Z',
    finishedAt: '2026-11-20T07:01:00Z',
    cancelRequested: false,
    ...more,
  };
}

export function endpoint(id: string, more: object = {}) {
  return {
    __typename: 'OutboundEndpoint',
    id,
    name: 'ERP',
    url: 'https://erp.example/hook',
    methods: ['status', 'correction'],
    sourceIds: [],
    isActive: true,
    pausedAt: null,
    failuresInRow: 0,
    secretRotatedAt: '2026-11-20T06:00:00Z',
    updatedAt: '2026-11-20T06:00:00Z',
    updatedBy: 'rosa',
    version: 2,
    ...more,
  };
}
