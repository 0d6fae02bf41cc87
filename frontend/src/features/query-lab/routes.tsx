import type { RouteEntry } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';

/** Routes for administrators only. */
export const queryLabRoutes: readonly RouteEntry[] = [
  { name: 'queryLab', path: routePaths.queryLab, page: () => import('./query-lab-page') },
];
