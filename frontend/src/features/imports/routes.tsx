import { OFFICE_ROLES, WRITE_ROLES } from '@/auth/roles';
import type { RouteEntry } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';

export const importsRoutes: RouteEntry[] = [
  {
    unauthenticated: 'forbidden',
    roles: WRITE_ROLES,
    routes: [
      {
        name: 'uploadDeliveries',
        path: routePaths.uploadDeliveries,
        page: () => import('./upload-deliveries-page'),
      },
    ],
  },
  {
    unauthenticated: 'forbidden',
    roles: OFFICE_ROLES,
    routes: [
      {
        name: 'uploadedDetails',
        path: routePaths.uploadedDetails,
        page: () => import('./uploaded-details-page'),
      },
    ],
  },
];
