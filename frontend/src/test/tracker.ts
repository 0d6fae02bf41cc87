import type { DriverLocation, Position, TrailPosition } from '@/features/tracker/queries';

type Changes = Partial<Position> & Partial<Pick<DriverLocation, 'name' | 'status'>>;

/** The last position of a driver, as the server returns it. */
export function location(driverId: string, changes: Changes = {}): DriverLocation {
  const { name = `Driver ${driverId}`, status = 'active', ...position } = changes;
  return {
    driverId,
    name,
    status,
    position: {
      occurredAt: '2026-11-20T07:03:40Z',
      lat: 14.55,
      lng: 121.02,
      speedKmh: 31,
      headingDeg: 290,
      accuracyM: 8,
      batteryPct: 64,
      charging: false,
      motion: true,
      ...position,
    },
  };
}

/** One position of a trail. */
export function trailPosition(
  occurredAt: string,
  lat: number,
  lng: number,
  changes: Partial<TrailPosition> = {},
): TrailPosition {
  return {
    occurredAt,
    lat,
    lng,
    speedKmh: 30,
    headingDeg: null,
    accuracyM: 8,
    valid: true,
    filteredReason: null,
    ...changes,
  };
}

/** Response with the last positions of all drivers. */
export function locationsOf(locations: readonly DriverLocation[], cursor = 'c1') {
  return {
    data: { driverLocations: { __typename: 'DriverLocations', locations, cursor, more: false } },
  };
}

/** The card of a driver with 12 of 18 deliveries done. */
export function driverCard(driverId: string, changes: Record<string, unknown> = {}) {
  return {
    data: {
      driver: {
        __typename: 'Driver',
        driverId,
        name: 'Rico Santos',
        status: 'active',
        phone: '+63 917 555 0147',
        trucker: 'Habagat Fleet',
        vehiclePlate: 'NBC 4821',
        ...changes,
      },
      driverDays: [
        {
          __typename: 'DriverDay',
          driverId,
          total: 18,
          done: 12,
          undelivered: 1,
          currentDeliveryId: 'DR-1184190',
          nextDeliveryId: 'DR-1184228',
        },
      ],
    },
  };
}

const cardDelivery = (id: string, customername: string) => ({
  __typename: 'Delivery',
  id,
  customername,
  deliverystatus: 'Pending',
  scheduledatetime: '2026-11-20T06:30:00Z',
});

/** Response with the current and next delivery of the driver of `driverCard`. */
export const cardDeliveries = {
  data: {
    current: cardDelivery('DR-1184190', 'Kabalen Super BGC'),
    next: cardDelivery('DR-1184228', 'Bayan Mart Makati'),
  },
};
