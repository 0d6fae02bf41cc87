import type { RouteEntry } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';

/** Administrators only. */
export const announcementsRoutes: readonly RouteEntry[] = [
  {
    name: 'announcements',
    path: routePaths.announcements,
    page: () => import('./announcements-page'),
  },
  // Before `viewAnnouncement`, which would match this address as an ID.
  {
    name: 'newAnnouncement',
    path: routePaths.newAnnouncement,
    page: () => import('./new-announcement-page'),
  },
  {
    name: 'viewAnnouncement',
    path: routePaths.viewAnnouncement,
    page: () => import('./view-announcement-page'),
  },
  {
    name: 'editAnnouncement',
    path: routePaths.editAnnouncement,
    page: () => import('./edit-announcement-page'),
  },
];
