import { graphql, type ResultOf } from '@/data/graphql';

export const mySessionsQuery = graphql(`
  query MySessions {
    mySessions {
      id
      address
      userAgent
      createdAt
      lastUsedAt
      expiresAt
      isCurrent
    }
  }
`);

export const endOwnSessionMutation = graphql(`
  mutation EndOwnSession($input: EndSessionInput!) {
    endSession(input: $input) {
      count
    }
  }
`);

export const changeOwnPasswordMutation = graphql(`
  mutation ChangeOwnPassword($input: ChangeOwnPasswordInput!) {
    changeOwnPassword(input: $input) {
      count
    }
  }
`);

export type OwnSession = ResultOf<typeof mySessionsQuery>['mySessions'][number];
