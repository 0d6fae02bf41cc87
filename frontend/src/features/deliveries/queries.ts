import { graphql } from '@/data/graphql';

/** Key of the list in storage and in history entries. */
export const DELIVERIES = 'deliveries';

export const deliveriesQuery = graphql(`
  query DeliveriesPage($page: PageOptions, $where: [Filter!]) {
    deliveries(page: $page) {
      id
      deliverystatus
      scheduledatetime
      deliverydatetime
      driverId
      driver {
        driverId
        name
      }
      linecount
      customername
      trucker
      shipmentnumber
      referencedoc
      scanmode
      attempt
      maxAttempts
      version
      conflict
    }
    deliveriesCount(where: $where) {
      total
      exact
    }
  }
`);

export const deliveriesByViewQuery = graphql(`
  query DeliveriesByView(
    $today: [Filter!]
    $late: [Filter!]
    $unassigned: [Filter!]
    $conflicts: [Filter!]
    $all: [Filter!]
    $Pending: [Filter!]
    $Complete_No_Variance: [Filter!]
    $Complete_With_Variance: [Filter!]
    $Undelivered: [Filter!]
    $Rejected: [Filter!]
  ) {
    today: deliveriesCount(where: $today) {
      total
      exact
    }
    late: deliveriesCount(where: $late) {
      total
      exact
    }
    unassigned: deliveriesCount(where: $unassigned) {
      total
      exact
    }
    conflicts: deliveriesCount(where: $conflicts) {
      total
      exact
    }
    all: deliveriesCount(where: $all) {
      total
      exact
    }
    Pending: deliveriesCount(where: $Pending) {
      total
      exact
    }
    Complete_No_Variance: deliveriesCount(where: $Complete_No_Variance) {
      total
      exact
    }
    Complete_With_Variance: deliveriesCount(where: $Complete_With_Variance) {
      total
      exact
    }
    Undelivered: deliveriesCount(where: $Undelivered) {
      total
      exact
    }
    Rejected: deliveriesCount(where: $Rejected) {
      total
      exact
    }
  }
`);
