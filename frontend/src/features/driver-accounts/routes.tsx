import { WRITE_ROLES } from '@/auth/roles';
import type { RouteEntry } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';

export const driverAccountsRoutes: readonly RouteEntry[] = [
  {
    unauthenticated: 'forbidden',
    roles: WRITE_ROLES,
    routes: [
      {
        name: 'driverResetPassword',
        path: routePaths.driverResetPassword,
        page: () => import('./driver-reset-password-page'),
      },
    ],
  },
];
