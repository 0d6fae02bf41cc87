import { OFFICE_ROLES, WRITE_ROLES } from '@/auth/roles';
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
      {
        name: 'viewDeliveryItem',
        path: routePaths.viewDeliveryItem,
        page: () => import('./pages/view-delivery-item-page'),
      },
    ],
  },
  {
    unauthenticated: 'forbidden',
    roles: WRITE_ROLES,
    routes: [
      {
        name: 'editDelivery',
        path: routePaths.editDelivery,
        page: () => import('./pages/edit-delivery-page'),
      },
      {
        name: 'editDeliveryItem',
        path: routePaths.editDeliveryItem,
        page: () => import('./pages/edit-delivery-item-page'),
      },
      {
        name: 'newDelivery',
        path: routePaths.newDelivery,
        page: () => import('./pages/new-delivery-page'),
      },
      {
        name: 'newDeliveryItem',
        path: routePaths.newDeliveryItem,
        page: () => import('./pages/new-delivery-item-page'),
      },
    ],
  },
];
