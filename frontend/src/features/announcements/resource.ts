import { defineResource } from '@/list/resource';
import { routes } from '@/routing/routes';
import { columns } from './columns';
import { filters, views } from './filters';
import { announcementsByStateQuery, announcementsQuery } from './queries';

/** No subscription tells who saw what, and windows open and close by themselves. */
const POLL_INTERVAL_MS = 60_000;

export const announcementsResource = defineResource({
  name: 'announcements',
  typename: 'Announcement',
  document: announcementsQuery,
  toList: ({ announcements, announcementsCount }) => ({
    rows: announcements,
    count: announcementsCount,
  }),
  rowId: ({ id }) => id,
  rowHref: ({ id }) => routes.viewAnnouncement({ id }),
  twoLines: true,
  columns,
  filters,
  views,
  viewCounts: announcementsByStateQuery,
  pollInterval: POLL_INTERVAL_MS,
  defaultSort: [{ key: 'startsAt', direction: 'desc' }],
  texts: {
    count: 'announcements:count',
    countOver: 'announcements:countOver',
    tableName: 'announcements:table',
    emptyTitle: 'announcements:empty.title',
    emptyText: 'announcements:empty.text',
    noMatchTitle: 'announcements:noMatch',
  },
});
