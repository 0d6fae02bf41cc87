import type { RouteEntry } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';

export const accountRoutes: readonly RouteEntry[] = [
  { name: 'account', path: routePaths.account, page: () => import('./account-page') },
  {
    name: 'thirdPartyNotices',
    path: routePaths.thirdPartyNotices,
    page: () => import('./third-party-page'),
  },
];
