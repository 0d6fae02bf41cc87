import type { RouteEntry } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';

export const driverLogsRoutes: readonly RouteEntry[] = [
  {
    name: 'driverLogs',
    path: routePaths.driverLogs,
    page: () => import('./driver-logs-page'),
  },
  {
    name: 'viewDriverActivityLog',
    path: routePaths.viewDriverActivityLog,
    page: () => import('./view-driver-log-page'),
  },
];
