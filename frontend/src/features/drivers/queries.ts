import { graphql, type ResultOf } from '@/data/graphql';

export const driversQuery = graphql(`
  query DriversPage($page: PageOptions, $where: [Filter!]) {
    drivers(page: $page) {
      driverId
      name
      status
      username
      phone
      trucker
      vehiclePlate
      lastSeenAt
      lastPosition {
        occurredAt
      }
      onlineState
      createdAt
    }
    driversCount(where: $where) {
      total
      exact
    }
  }
`);

export const driversByStatusQuery = graphql(`
  query DriversByStatus($all: [Filter!], $active: [Filter!], $blocked: [Filter!]) {
    all: driversCount(where: $all) {
      total
      exact
    }
    active: driversCount(where: $active) {
      total
      exact
    }
    blocked: driversCount(where: $blocked) {
      total
      exact
    }
  }
`);

export const driverQuery = graphql(`
  query ViewDriver($driverId: String!) {
    driver(driverId: $driverId) {
      driverId
      name
      status
      username
      phone
      email
      trucker
      licenceNumber
      licenceExpiry
      vehiclePlate
      deviceUniqueIds
      lastSeenAt
      lastPosition {
        occurredAt
        lat
        lng
        speedKmh
        accuracyM
        batteryPct
        charging
        provider
      }
      onlineState
      trackingConsentAt
      language
      createdAt
      createdBy
      updatedAt
      updatedBy
      version
    }
  }
`);

/** Reads who changed the driver last, after a version conflict. */
export const driverVersionQuery = graphql(`
  query DriverVersion($driverId: String!) {
    current: driver(driverId: $driverId) {
      version
      updatedAt
      updatedBy
    }
  }
`);

export const driverDeliveriesQuery = graphql(`
  query DriverDeliveries($page: PageOptions, $today: [Filter!], $open: [Filter!]) {
    deliveries(page: $page) {
      id
      deliverystatus
      scheduledatetime
      customername
    }
    today: deliveriesCount(where: $today) {
      total
      exact
    }
    open: deliveriesCount(where: $open) {
      total
      exact
    }
  }
`);

export const openOfDriverQuery = graphql(`
  query OpenOfDriver($open: [Filter!]) {
    open: deliveriesCount(where: $open) {
      total
      exact
    }
  }
`);

export const driverActivityQuery = graphql(`
  query DriverActivity($page: PageOptions) {
    driverLogs(page: $page) {
      id
      activity
      deliveryId
      occurredAt
      receivedAt
    }
  }
`);

export const unpairedDevicesQuery = graphql(`
  query UnpairedDevices {
    unpairedDevices {
      uniqueId
      provider
      firstSeenAt
      lastSeenAt
      positions
      address
      lastPosition {
        lat
        lng
        accuracyM
      }
    }
  }
`);

export const createDriverMutation = graphql(`
  mutation CreateDriver($input: CreateDriverInput!) {
    createDriver(input: $input) {
      driverId
      name
    }
  }
`);

export const updateDriverMutation = graphql(`
  mutation UpdateDriver($input: UpdateDriverInput!) {
    updateDriver(input: $input) {
      driverId
      version
    }
  }
`);

export const updateDriverStatusMutation = graphql(`
  mutation UpdateDriverStatus($input: UpdateDriverStatusInput!) {
    updateDriverStatus(input: $input) {
      driverId
      status
      version
    }
  }
`);

export const pairDeviceMutation = graphql(`
  mutation PairDevice($input: PairDeviceInput!) {
    pairDevice(input: $input) {
      driverId
      name
      deviceUniqueIds
    }
  }
`);

export const unpairDeviceMutation = graphql(`
  mutation UnpairDevice($input: UnpairDeviceInput!) {
    unpairDevice(input: $input) {
      driverId
      deviceUniqueIds
    }
  }
`);

export type DriverRow = ResultOf<typeof driversQuery>['drivers'][number];
export type Driver = NonNullable<ResultOf<typeof driverQuery>['driver']>;
export type UnpairedDevice = ResultOf<typeof unpairedDevicesQuery>['unpairedDevices'][number];
