import { graphql, type ResultOf } from '@/data/graphql';

/** Counts with the filters of the lists that the figures link to. */
export const attentionCountsQuery = graphql(`
  query DashboardCounts($late: [Filter!], $unassigned: [Filter!], $conflicts: [Filter!]) {
    late: deliveriesCount(where: $late) {
      total
      exact
    }
    lateDrivers: deliveryDriversCount(where: $late) {
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
  }
`);

export const lateDeliveriesQuery = graphql(`
  query DashboardLate($page: PageOptions) {
    deliveries(page: $page) {
      id
      customername
      scheduledatetime
      timeWindowEnd
      driverId
      driver {
        driverId
        name
      }
    }
  }
`);

export type LateDelivery = ResultOf<typeof lateDeliveriesQuery>['deliveries'][number];
