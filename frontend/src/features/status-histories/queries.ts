import { graphql, type ResultOf } from '@/data/graphql';

export const historiesQuery = graphql(`
  query StatusHistoriesPage($page: PageOptions, $where: [Filter!]) {
    deliveryStatusHistories(page: $page) {
      id
      deliveryId
      shipmentnumber
      fromStatus
      toStatus
      attempt
      occurredAt
      receivedAt
      actorType
      actorName
      reasonCode
      note
      point {
        lat
        lng
        accuracy
      }
      late
      superseded
      correctionOf
      uploadLogId
      clientEventId
      changes {
        itemNumber
        field
        before
        after
      }
    }
    deliveryStatusHistoriesCount(where: $where) {
      total
      exact
    }
  }
`);

export type HistoryStep = ResultOf<typeof historiesQuery>['deliveryStatusHistories'][number];
export type FieldChange = HistoryStep['changes'][number];
