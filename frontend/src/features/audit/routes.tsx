import type { RouteEntry } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';

/** Administrators only, within the admin settings. */
export const auditRoutes: readonly RouteEntry[] = [
  {
    name: 'auditEntries',
    path: routePaths.auditEntries,
    page: () => import('./audit-page'),
  },
];
