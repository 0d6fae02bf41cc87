import { graphql, type ResultOf } from '@/data/graphql';

export const driverLogsQuery = graphql(`
  query DriverLogsPage($page: PageOptions, $where: [Filter!]) {
    driverLogs(page: $page) {
      id
      driverId
      driverName
      deliveryId
      activity
      occurredAt
      receivedAt
      deviceId
      appVersion
    }
    driverLogsCount(where: $where) {
      total
      exact
    }
  }
`);

export const driverLogQuery = graphql(`
  query ViewDriverLog($id: String!) {
    driverLog(id: $id) {
      id
      driverId
      driverName
      deliveryId
      activity
      occurredAt
      receivedAt
      lat
      lng
      deviceId
      appVersion
      ip
      detail
    }
  }
`);

export type DriverLogRow = ResultOf<typeof driverLogsQuery>['driverLogs'][number];
export type DriverLog = NonNullable<ResultOf<typeof driverLogQuery>['driverLog']>;
