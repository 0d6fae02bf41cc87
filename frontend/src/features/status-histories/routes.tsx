import type { RouteEntry } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';

export const statusHistoriesRoutes: readonly RouteEntry[] = [
  {
    name: 'deliveryStatusHistories',
    path: routePaths.deliveryStatusHistories,
    page: () => import('./status-histories-page'),
  },
];
