import type { RouteEntry } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';

export const trackerRoutes: readonly RouteEntry[] = [
  {
    name: 'driverTrackerList',
    path: routePaths.driverTrackerList,
    page: () => import('./driver-tracker-list-page'),
  },
  {
    name: 'driverTracker',
    path: routePaths.driverTracker,
    page: () => import('./driver-tracker-page'),
  },
];
