import type { RouteEntry } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';

export const healthRoutes: readonly RouteEntry[] = [
  { name: 'health', path: routePaths.health, page: () => import('./health-page') },
];

export const forbiddenRoutes: readonly RouteEntry[] = [
  { name: 'forbidden', path: routePaths.forbidden, page: () => import('./forbidden-page') },
];

export const notFoundRoutes: readonly RouteEntry[] = [
  { notFound: true, page: () => import('./not-found-page') },
];
