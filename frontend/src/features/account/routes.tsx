import type { RouteEntry } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';

export const accountRoutes: readonly RouteEntry[] = [
  { name: 'account', path: routePaths.account, page: () => import('./pages/account-page') },
];
