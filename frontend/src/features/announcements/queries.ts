import { graphql, type ResultOf } from '@/data/graphql';

export const announcementsQuery = graphql(`
  query AnnouncementsPage($page: PageOptions, $where: [Filter!]) {
    announcements(page: $page) {
      id
      title
      message
      severity
      audienceRoles
      audienceUsers
      startsAt
      endsAt
      isActive
      seenCount
      createdAt
      createdBy
      version
    }
    announcementsCount(where: $where) {
      total
      exact
    }
  }
`);

export const announcementsByStateQuery = graphql(`
  query AnnouncementsByState(
    $all: [Filter!]
    $active: [Filter!]
    $scheduled: [Filter!]
    $ended: [Filter!]
    $off: [Filter!]
  ) {
    all: announcementsCount(where: $all) {
      total
      exact
    }
    active: announcementsCount(where: $active) {
      total
      exact
    }
    scheduled: announcementsCount(where: $scheduled) {
      total
      exact
    }
    ended: announcementsCount(where: $ended) {
      total
      exact
    }
    off: announcementsCount(where: $off) {
      total
      exact
    }
  }
`);

export const announcementQuery = graphql(`
  query ViewAnnouncement($id: String!) {
    announcement(id: $id) {
      id
      title
      message
      severity
      audienceRoles
      audienceUsers
      startsAt
      endsAt
      isActive
      dismissible
      seenCount
      createdAt
      createdBy
      updatedAt
      updatedBy
      version
    }
  }
`);

/** Reads who changed the announcement last, after a version conflict. */
export const announcementVersionQuery = graphql(`
  query AnnouncementVersion($id: String!) {
    current: announcement(id: $id) {
      version
      updatedAt
      updatedBy
    }
  }
`);

export const createAnnouncementMutation = graphql(`
  mutation CreateAnnouncement($input: CreateAnnouncementInput!) {
    createAnnouncement(input: $input) {
      id
      title
    }
  }
`);

export const updateAnnouncementMutation = graphql(`
  mutation UpdateAnnouncement($input: UpdateAnnouncementInput!) {
    updateAnnouncement(input: $input) {
      id
      version
    }
  }
`);

export const deleteAnnouncementMutation = graphql(`
  mutation DeleteAnnouncement($input: DeleteAnnouncementInput!) {
    deleteAnnouncement(input: $input)
  }
`);

export type AnnouncementRow = ResultOf<typeof announcementsQuery>['announcements'][number];
export type Announcement = NonNullable<ResultOf<typeof announcementQuery>['announcement']>;
