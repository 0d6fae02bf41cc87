/** A driver with the fields that lists and its page request. */
export function driver(driverId: string, changes: Record<string, unknown> = {}) {
  return {
    __typename: 'Driver',
    driverId,
    name: 'Rico Santos',
    status: 'active',
    username: 'rsantos',
    phone: '+63 917 555 0147',
    email: null,
    trucker: 'Habagat Fleet',
    licenceNumber: 'N01-12-345678',
    licenceExpiry: '2028-03-31',
    vehiclePlate: 'NBC 1234',
    deviceUniqueIds: ['356938035643809'],
    lastSeenAt: '2026-11-20T06:58:00Z',
    lastPosition: {
      __typename: 'DriverPosition',
      occurredAt: '2026-11-20T06:58:00Z',
      lat: 14.559,
      lng: 121.02,
      speedKmh: 31.7,
      accuracyM: 12,
      batteryPct: 64.4,
      charging: true,
      provider: 'osmand',
    },
    onlineState: 'online',
    trackingConsentAt: '2026-03-02T01:12:40Z',
    language: 'fil',
    createdAt: '2026-03-02T01:12:00Z',
    createdBy: 'rosa',
    updatedAt: '2026-10-30T09:12:00Z',
    updatedBy: 'dennis',
    version: 3,
    ...changes,
  };
}

/** A device without a driver. */
export function unpairedDevice(uniqueId: string, changes: Record<string, unknown> = {}) {
  return {
    __typename: 'UnpairedDevice',
    uniqueId,
    provider: 'traccar_json',
    firstSeenAt: '2026-11-20T06:40:00Z',
    lastSeenAt: '2026-11-20T06:58:00Z',
    positions: 1204,
    address: '10.20.4.17',
    lastPosition: { __typename: 'DriverPosition', lat: 14.559, lng: 121.02, accuracyM: 8 },
    ...changes,
  };
}

/** An entry of the driver log. */
export function driverLog(id: string, changes: Record<string, unknown> = {}) {
  return {
    __typename: 'DriverLog',
    id,
    driverId: 'DRV-014',
    driverName: 'Rico Santos',
    deliveryId: null,
    activity: 'login',
    occurredAt: '2026-11-20T03:08:00Z',
    receivedAt: '2026-11-20T03:08:02Z',
    lat: null,
    lng: null,
    deviceId: 'Pixel 9',
    appVersion: '2.4.1',
    ip: '10.20.4.17',
    detail: {},
    ...changes,
  };
}

/** Response of the driver lookup, which finds the same drivers by ID and by name. */
export function foundDrivers(...drivers: readonly [driverId: string, name: string][]) {
  const rows = drivers.map(([driverId, name]) => ({ __typename: 'Driver', driverId, name }));
  return { data: { byId: rows, byName: rows } };
}
