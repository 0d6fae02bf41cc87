import type { RouteEntry } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';

/** For administrators. */
export const queryLabRoutes: readonly RouteEntry[] = [
  { name: 'queryLab', path: routePaths.queryLab, page: () => import('./query-lab-page') },
];
