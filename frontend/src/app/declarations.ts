import { OFFICE_ROLES } from '@/auth/roles';
import { authRoutes } from '@/features/auth-pages/routes';
import { deliveriesRoutes } from '@/features/deliveries/routes';
import { forbiddenRoutes, healthRoutes, notFoundRoutes } from '@/features/errors/routes';
import { importsRoutes } from '@/features/imports/routes';
import type { RouteEntry } from '@/routing/declarations';
import { Shell } from '@/shell/shell';

/** Every route of the app. Of two that match, the first counts. */
export const declarations: readonly RouteEntry[] = [
  { path: '/', redirect: 'deliveries' },
  ...authRoutes,
  ...healthRoutes,
  {
    unauthenticated: 'login',
    wrap: Shell,
    routes: [
      ...forbiddenRoutes,
      {
        unauthenticated: 'forbidden',
        roles: OFFICE_ROLES,
        routes: [...deliveriesRoutes, ...importsRoutes],
      },
    ],
  },
  ...notFoundRoutes,
];
