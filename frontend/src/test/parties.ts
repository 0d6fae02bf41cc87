/** A customer with the fields that lists and its page request. */
export function customer(customerName: string, changes: Record<string, unknown> = {}) {
  return {
    __typename: 'Customer',
    customerName,
    customerEmail: 'receiving@bayanmart.example',
    customerAddress: '6780 Ayala Avenue, Makati City',
    addressPoint: { __typename: 'GeoPoint', lat: 14.559, lng: 121.02, accuracy: null },
    code: 'C-017',
    phone: '+63 2 8555 0147',
    podRequirement: null,
    createdAt: '2026-03-02T01:12:00Z',
    createdBy: 'import',
    updatedAt: '2026-10-30T09:12:00Z',
    updatedBy: 'dennis',
    version: 3,
    ...changes,
  };
}

/** A source with the fields that lists and its page request. */
export function source(id: string, changes: Record<string, unknown> = {}) {
  return {
    __typename: 'Source',
    id,
    name: 'Warehouse file',
    isActive: true,
    podRequirement: ['signature', 'photo'],
    createdAt: '2026-03-02T01:12:00Z',
    createdBy: 'rosa',
    updatedAt: '2026-10-30T09:12:00Z',
    updatedBy: 'dennis',
    version: 3,
    ...changes,
  };
}

/** The server's error for a version conflict. */
export function changedMeanwhile(reason: 'CUSTOMER_CHANGED' | 'SOURCE_CHANGED' | 'DRIVER_CHANGED') {
  return {
    errors: [
      {
        message: 'Somebody else changed it meanwhile.',
        extensions: { code: 'FAILED_PRECONDITION', reason },
      },
    ],
  };
}

/** Response with a record's current version and who saved it. */
export function currentVersion(typename: string, version: number, updatedBy = 'dennis') {
  return {
    data: {
      current: {
        __typename: typename,
        version,
        updatedAt: '2026-11-20T07:01:00Z',
        updatedBy,
      },
    },
  };
}

/** A validation error with messages by field. */
export function badInput(messages: Record<string, string[]>) {
  return {
    errors: [
      {
        message: 'Bad input',
        extensions: { code: 'BAD_USER_INPUT', properties: { messages } },
      },
    ],
  };
}
