import { graphql, type ResultOf } from '@/data/graphql';

export const rebuildQuery = graphql(`
  query AnalyticsRebuild {
    analyticsRebuild {
      id
      state
      deliveries
      total
      failureText
      createdBy
      createdAt
      finishedAt
    }
  }
`);

export const rebuildMutation = graphql(`
  mutation RebuildAnalytics {
    rebuildAnalytics {
      id
      state
    }
  }
`);

export type Rebuild = NonNullable<ResultOf<typeof rebuildQuery>['analyticsRebuild']>;
