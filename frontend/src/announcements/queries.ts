import { graphql, type ResultOf } from '@/data/graphql';

/** What concerns whoever is signed in, also what they dismissed. */
export const myAnnouncementsQuery = graphql(`
  query MyAnnouncements {
    myAnnouncements {
      id
      title
      message
      severity
      dismissible
      dismissed
      seen
      startsAt
      endsAt
    }
  }
`);

export const markAnnouncementsMutation = graphql(`
  mutation MarkAnnouncements($input: MarkAnnouncementsInput!) {
    markAnnouncements(input: $input) {
      id
      seen
      dismissed
    }
  }
`);

export type MyAnnouncement = ResultOf<typeof myAnnouncementsQuery>['myAnnouncements'][number];
export type AnnouncementSeverity = MyAnnouncement['severity'];
