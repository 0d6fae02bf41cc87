import { WRITE_ROLES } from '@/auth/roles';
import type { RouteEntry } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';

/** `/drivers/new` comes before `/drivers/{driverId}`, since the first matching route wins. */
export const driversRoutes: readonly RouteEntry[] = [
  { name: 'drivers', path: routePaths.drivers, page: () => import('./drivers-page') },
  {
    unauthenticated: 'forbidden',
    roles: WRITE_ROLES,
    routes: [
      { name: 'newDriver', path: routePaths.newDriver, page: () => import('./new-driver-page') },
      {
        name: 'editDriver',
        path: routePaths.editDriver,
        page: () => import('./edit-driver-page'),
      },
    ],
  },
  {
    name: 'viewDriver',
    path: routePaths.viewDriver,
    page: () => import('./view-driver-page'),
  },
];
