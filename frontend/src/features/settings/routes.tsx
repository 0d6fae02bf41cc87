import type { RouteEntry } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';

/** Planner settings, as a main page. */
export const plannerSettingsRoutes: readonly RouteEntry[] = [
  {
    unauthenticated: 'forbidden',
    roles: 'transport_planner',
    routes: [
      {
        name: 'systemSettings',
        path: routePaths.systemSettings,
        page: () => import('./system-settings-page'),
      },
      {
        name: 'systemSetting',
        path: routePaths.systemSetting,
        page: () => import('./system-setting-page'),
      },
    ],
  },
];

/** All settings, within the admin settings. */
export const adminSettingsRoutes: readonly RouteEntry[] = [
  {
    name: 'adminSystemSettings',
    path: routePaths.adminSystemSettings,
    page: () => import('./admin-system-settings-page'),
  },
  {
    name: 'adminSystemSetting',
    path: routePaths.adminSystemSetting,
    page: () => import('./admin-system-setting-page'),
  },
];
