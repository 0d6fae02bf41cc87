import type { RouteEntry } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';

export const reportsRoutes: readonly RouteEntry[] = [
  { name: 'report', path: routePaths.report, page: () => import('./report-page') },
];
