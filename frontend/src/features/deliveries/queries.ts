import { graphql, type ResultOf } from '@/data/graphql';

export const deliveriesQuery = graphql(`
  query DeliveriesPage($page: PageOptions, $where: [Filter!]) {
    deliveries(page: $page) {
      id
      deliverystatus
      scheduledatetime
      deliverydatetime
      driverId
      linecount
      customername
      trucker
      shipmentnumber
      referencedoc
      scanmode
    }
    deliveriesCount(where: $where) {
      total
      exact
    }
  }
`);

export const deliveryQuery = graphql(`
  query ViewDelivery($id: String!) {
    delivery(id: $id) {
      id
      deliverystatus
      shipmentnumber
      customername
      trucker
      driverId
      scheduledatetime
      deliverydatetime
      scanmode
      referencedoc
      uploadLogId
      linecount
      customeraddress
      timeWindowStart
      timeWindowEnd
      contactName
      contactPhone
      contactEmail
      instructions
      internalNote
      priority
      attempt
      maxAttempts
      createdAt
      createdBy
      updatedAt
      updatedBy
      items {
        itemNumber
        sku
        description
        unit
        quantity
        weightKg
        barcode
      }
      history {
        id
        fromStatus
        toStatus
        attempt
        occurredAt
        actorType
        actorName
        note
      }
      shipment {
        shipmentnumber
        shipmentstatus
        deliveryCount
        openCount
        completedCount
      }
      source {
        id
        name
      }
    }
  }
`);

export const deliveriesLookup = graphql(`
  query DeliveriesLookup($page: PageOptions) {
    deliveries(page: $page) {
      id
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

export const truckersLookup = graphql(`
  query TruckersLookup($startsWith: String!, $page: PageOptions) {
    getTruckerDrilldown(startsWith: $startsWith, page: $page)
  }
`);

export type Delivery = NonNullable<ResultOf<typeof deliveryQuery>['delivery']>;
