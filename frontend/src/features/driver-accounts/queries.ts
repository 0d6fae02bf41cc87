import { graphql, type ResultOf } from '@/data/graphql';

export const driverAccountsQuery = graphql(`
  query DriverAccountsPage($page: PageOptions, $where: [Filter!]) {
    driverAccounts(page: $page) {
      id
      username
      displayName
      driverId
      status
      lastLoginAt
    }
    driverAccountsCount(where: $where) {
      total
      exact
    }
  }
`);

export type DriverAccountRow = ResultOf<typeof driverAccountsQuery>['driverAccounts'][number];
