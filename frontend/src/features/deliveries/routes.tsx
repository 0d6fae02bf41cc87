import { OFFICE_ROLES } from '@/auth/roles';
import type { RouteEntry } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';

export const deliveriesRoutes: RouteEntry[] = [
  {
    unauthenticated: 'forbidden',
    roles: OFFICE_ROLES,
    routes: [
      {
        name: 'deliveries',
        path: routePaths.deliveries,
        page: () => import('./pages/deliveries-page'),
      },
      {
        name: 'viewDelivery',
        path: routePaths.viewDelivery,
        page: () => import('./pages/view-delivery-page'),
      },
    ],
  },
];
