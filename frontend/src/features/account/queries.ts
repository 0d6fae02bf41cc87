import { graphql } from '@/data/graphql';
import { sessionFragment } from '@/domain/sessions';

export const mySessionsQuery = graphql(
  `
    query MySessions {
      mySessions {
        ...SessionFields
      }
    }
  `,
  [sessionFragment],
);

export const changeOwnPasswordMutation = graphql(`
  mutation ChangeOwnPassword($input: ChangeOwnPasswordInput!) {
    changeOwnPassword(input: $input) {
      count
    }
  }
`);
