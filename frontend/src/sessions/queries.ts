import { graphql, type FragmentOf } from '@/data/graphql';

/** What is told of a session wherever sessions are listed. */
export const sessionFragment = graphql(`
  fragment SessionFields on Session @_unmask {
    id
    address
    userAgent
    createdAt
    lastUsedAt
    expiresAt
    isCurrent
  }
`);

export const endSessionMutation = graphql(`
  mutation EndSession($input: EndSessionInput!) {
    endSession(input: $input) {
      count
    }
  }
`);

/** Every session of one's own but the one that asks. */
export const endOtherSessionsMutation = graphql(`
  mutation EndOtherSessions {
    endOtherSessions {
      count
    }
  }
`);

export type Session = FragmentOf<typeof sessionFragment>;
