import { WRITE_ROLES } from '@/auth/roles';
import type { RouteEntry } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';

export const customersRoutes: readonly RouteEntry[] = [
  { name: 'customers', path: routePaths.customers, page: () => import('./customers-page') },
  {
    name: 'viewCustomer',
    path: routePaths.viewCustomer,
    page: () => import('./view-customer-page'),
  },
  {
    unauthenticated: 'forbidden',
    roles: WRITE_ROLES,
    routes: [
      {
        name: 'editCustomer',
        path: routePaths.editCustomer,
        page: () => import('./edit-customer-page'),
      },
    ],
  },
];
