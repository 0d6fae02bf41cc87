/** Makes the All view the last one used, so that the list opens on it. */
export function lookedAtAll(): void {
  localStorage.setItem('waybill.list.deliveries.view', '"all"');
}

/** A delivery with the fields that lists request. */
export function deliveryRow(number: number, changes: Record<string, unknown> = {}) {
  return {
    __typename: 'Delivery',
    id: `DR-${number}`,
    deliverystatus: 'Pending',
    scheduledatetime: '2026-11-20T01:30:00Z',
    deliverydatetime: null,
    driverId: null,
    driver: null,
    linecount: 2,
    customername: 'Bayan Mart Makati',
    trucker: 'Habagat Fleet',
    shipmentnumber: 'SH-26147',
    referencedoc: 'SI-880417',
    scanmode: 'No',
    attempt: 1,
    maxAttempts: 3,
    conflict: false,
    version: 1,
    ...changes,
  };
}

/** A finished upload log without refused rows. */
export function uploadLog(changes: Record<string, unknown> = {}) {
  return {
    __typename: 'UploadLog',
    id: 'u1',
    filename: 'dispatch-1121.csv',
    status: 'imported',
    sourceId: 's1',
    source: { __typename: 'Source', id: 's1', name: 'Default' },
    sizeBytes: 1000,
    bytesRead: 1000,
    rowsTotal: 10,
    rowsCreated: 10,
    rowsUpdated: 0,
    rowsSkipped: 0,
    rowsFailed: 0,
    deliveriesCreated: 4,
    itemsCreated: 10,
    failureCode: null,
    failureText: null,
    startedAt: '2026-11-20T01:30:00Z',
    finishedAt: '2026-11-20T01:30:41Z',
    uploadedBy: 'rosa',
    createdAt: '2026-11-20T01:30:00Z',
    warnings: 0,
    headings: ['Delivery Doc', 'Trucker', 'Quantity'],
    documentColumn: 0,
    columns: [],
    mode: 'upsert',
    undoAllowed: false,
    undoableUntil: null,
    undoneAt: null,
    undoneBy: null,
    undoReport: null,
    undoFailureText: null,
    columnsChosen: false,
    dryRun: false,
    valuesToMatch: 0,
    valuesUndecided: 0,
    changedSinceCheck: false,
    ...changes,
  };
}
