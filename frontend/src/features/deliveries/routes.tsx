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
        page: () => import('./deliveries-page'),
      },
      {
        name: 'viewDelivery',
        path: routePaths.viewDelivery,
        page: () => import('./view-delivery-page'),
      },
      {
        name: 'viewDeliveryItem',
        path: routePaths.viewDeliveryItem,
        page: () => import('./view-delivery-item-page'),
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
        page: () => import('./edit/edit-delivery-page'),
      },
      {
        name: 'editDeliveryItem',
        path: routePaths.editDeliveryItem,
        page: () => import('./edit/edit-delivery-item-page'),
      },
      {
        name: 'newDelivery',
        path: routePaths.newDelivery,
        page: () => import('./edit/new-delivery-page'),
      },
      {
        name: 'newDeliveryItem',
        path: routePaths.newDeliveryItem,
        page: () => import('./edit/new-delivery-item-page'),
      },
    ],
  },
];
