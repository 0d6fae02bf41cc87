import { graphql, type ResultOf } from '@/data/graphql';

export const driverLocationsQuery = graphql(`
  query DriverLocations($after: String) {
    driverLocations(after: $after) {
      locations {
        driverId
        name
        status
        position {
          occurredAt
          lat
          lng
          speedKmh
          headingDeg
          accuracyM
          batteryPct
          charging
          motion
        }
      }
      cursor
      more
    }
  }
`);

export const driverPositionsSubscription = graphql(`
  subscription DriverPositionsChanged($after: String) {
    driverPositionsChanged(after: $after) {
      locations {
        driverId
        name
        status
        position {
          occurredAt
          lat
          lng
          speedKmh
          headingDeg
          accuracyM
          batteryPct
          charging
          motion
        }
      }
      cursor
      more
    }
  }
`);

export const driverDaysQuery = graphql(`
  query DriverDays($driverIds: [String!]!, $from: DateTime!, $to: DateTime!) {
    driverDays(driverIds: $driverIds, from: $from, to: $to) {
      driverId
      total
      done
    }
  }
`);

export const driverCardQuery = graphql(`
  query DriverCard($driverId: String!, $driverIds: [String!]!, $from: DateTime!, $to: DateTime!) {
    driver(driverId: $driverId) {
      driverId
      name
      status
      phone
      trucker
      vehiclePlate
    }
    driverDays(driverIds: $driverIds, from: $from, to: $to) {
      driverId
      total
      done
      undelivered
      currentDeliveryId
      nextDeliveryId
    }
  }
`);

export const cardDeliveriesQuery = graphql(`
  query DriverCardDeliveries($current: String!, $hasCurrent: Boolean!, $next: String!, $hasNext: Boolean!) {
    current: delivery(id: $current) @include(if: $hasCurrent) {
      id
      customername
      deliverystatus
      scheduledatetime
    }
    next: delivery(id: $next) @include(if: $hasNext) {
      id
      customername
      deliverystatus
      scheduledatetime
    }
  }
`);

export const driverPositionsQuery = graphql(`
  query DriverPositions($driverId: String!, $from: DateTime!, $to: DateTime!, $after: String) {
    driverPositions(driverId: $driverId, from: $from, to: $to, after: $after) {
      positions {
        occurredAt
        lat
        lng
        speedKmh
        headingDeg
        accuracyM
        valid
        filteredReason
      }
      cursor
      more
    }
  }
`);

/** Reads the deliveries that were planned for the day and those that ended on it, because the two can differ. */
export const trailDeliveriesQuery = graphql(`
  query TrailDeliveries($planned: PageOptions, $ended: PageOptions) {
    planned: deliveries(page: $planned) {
      id
      customername
      customeraddress
      deliverystatus
      scheduledatetime
      outcomeOccurredAt
      outcomePoint {
        lat
        lng
      }
      addressPoint {
        lat
        lng
      }
    }
    ended: deliveries(page: $ended) {
      id
      customername
      customeraddress
      deliverystatus
      scheduledatetime
      outcomeOccurredAt
      outcomePoint {
        lat
        lng
      }
      addressPoint {
        lat
        lng
      }
    }
  }
`);

export const findDriversByDeliveryQuery = graphql(`
  query DriversOfDeliveries($today: PageOptions, $latest: PageOptions) {
    today: deliveries(page: $today) {
      id
      driverId
    }
    latest: deliveries(page: $latest) {
      id
      driverId
    }
  }
`);

export type DriverLocation = ResultOf<
  typeof driverLocationsQuery
>['driverLocations']['locations'][number];
export type Position = DriverLocation['position'];
export type TrailPosition = ResultOf<
  typeof driverPositionsQuery
>['driverPositions']['positions'][number];
export type TrailDelivery = ResultOf<typeof trailDeliveriesQuery>['planned'][number];
