import type { RouteEntry } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';

export const dashboardRoutes: readonly RouteEntry[] = [
  { name: 'dashboard', path: routePaths.dashboard, page: () => import('./dashboard-page') },
];
