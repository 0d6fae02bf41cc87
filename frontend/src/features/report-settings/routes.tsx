import type { RouteEntry } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';

/** Routes for administrators only, within the admin settings. */
export const reportSettingsRoutes: readonly RouteEntry[] = [
  {
    name: 'reportSettings',
    path: routePaths.reportSettings,
    page: () => import('./report-settings-page'),
  },
  {
    name: 'reportSetting',
    path: routePaths.reportSetting,
    page: () => import('./report-setting-page'),
  },
];
