import { graphql } from '@/data/graphql';

export const deliveriesLookup = graphql(`
  query DeliveriesLookup($page: PageOptions) {
    deliveries(page: $page) {
      id
    }
  }
`);

export const deadLettersLookup = graphql(`
  query DeadLettersLookup($mode: DeadLetterMode!, $page: PageOptions) {
    deliveryDeadLetters(mode: $mode, page: $page) {
      deliveryId
      method
    }
  }
`);

export const customersLookup = graphql(`
  query CustomersLookup($page: PageOptions) {
    customers(page: $page) {
      customerName
      customerEmail
    }
  }
`);

export const addressesLookup = graphql(`
  query AddressesLookup($page: PageOptions) {
    addresses(page: $page) {
      address
      point {
        lat
        lng
        accuracy
      }
    }
  }
`);

export const sourcesLookup = graphql(`
  query SourcesLookup($page: PageOptions) {
    sources(page: $page) {
      id
      name
    }
  }
`);

export const uploadLogsLookup = graphql(`
  query UploadLogsLookup($page: PageOptions) {
    uploadLogs(page: $page) {
      id
      filename
    }
  }
`);

/** Searches by ID and by name, since users know drivers by either. */
export const driversLookup = graphql(`
  query DriversLookup($byId: PageOptions, $byName: PageOptions) {
    byId: drivers(page: $byId) {
      driverId
      name
    }
    byName: drivers(page: $byName) {
      driverId
      name
    }
  }
`);

export const usersLookup = graphql(`
  query UsersLookup($page: PageOptions) {
    users(page: $page) {
      username
      displayName
    }
  }
`);

export const truckersLookup = graphql(`
  query TruckersLookup($startsWith: String!, $page: PageOptions) {
    getTruckerDrilldown(startsWith: $startsWith, page: $page)
  }
`);

export const reasonsLookup = graphql(`
  query ReasonsLookup {
    reasons {
      code
      appliesTo
      label
      order
    }
  }
`);
