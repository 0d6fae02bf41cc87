import { OFFICE_ROLES } from '@/auth/roles';
import { accountRoutes } from '@/features/account/routes';
import { announcementsRoutes } from '@/features/announcements/routes';
import { auditRoutes } from '@/features/audit/routes';
import { authRoutes } from '@/features/auth-pages/routes';
import { customersRoutes } from '@/features/customers/routes';
import { dashboardRoutes } from '@/features/dashboard/routes';
import { deadLettersRoutes } from '@/features/dead-letters/routes';
import { deliveriesRoutes } from '@/features/deliveries/routes';
import { driverAccountsRoutes } from '@/features/driver-accounts/routes';
import { driverLogsRoutes } from '@/features/driver-logs/routes';
import { driversRoutes } from '@/features/drivers/routes';
import { forbiddenRoutes, healthRoutes, notFoundRoutes } from '@/features/errors/routes';
import { formsRoutes } from '@/features/delivery-forms/routes';
import { importsRoutes } from '@/features/imports/routes';
import { logoRoutes } from '@/features/logo/routes';
import { queryLabRoutes } from '@/features/query-lab/routes';
import { reportSettingsRoutes } from '@/features/report-settings/routes';
import { adminSettingsRoutes, plannerSettingsRoutes } from '@/features/settings/routes';
import { reportsRoutes } from '@/features/reports/routes';
import { sourcesRoutes } from '@/features/sources/routes';
import { statusHistoriesRoutes } from '@/features/status-histories/routes';
import { trackerRoutes } from '@/features/tracker/routes';
import { userResetPasswordRoutes, usersRoutes } from '@/features/users/routes';
import type { RouteEntry } from '@/routing/declarations';
import { SettingsFrame } from '@/shell/settings-frame';
import { PrivateFrame } from './private-frame';

/** All routes of the app; the first match wins. */
export const declarations: readonly RouteEntry[] = [
  ...authRoutes,
  ...healthRoutes,
  {
    unauthenticated: 'login',
    wrap: PrivateFrame,
    routes: [
      ...forbiddenRoutes,
      ...accountRoutes,
      {
        unauthenticated: 'forbidden',
        roles: OFFICE_ROLES,
        routes: [
          ...dashboardRoutes,
          ...reportsRoutes,
          ...deliveriesRoutes,
          ...formsRoutes,
          ...statusHistoriesRoutes,
          ...customersRoutes,
          ...sourcesRoutes,
          ...importsRoutes,
          ...driversRoutes,
          ...trackerRoutes,
          ...driverAccountsRoutes,
          ...driverLogsRoutes,
          ...plannerSettingsRoutes,
        ],
      },
      {
        unauthenticated: 'forbidden',
        roles: 'admin',
        routes: [
          ...userResetPasswordRoutes,
          ...queryLabRoutes,
          ...announcementsRoutes,
          {
            unauthenticated: 'forbidden',
            roles: 'admin',
            wrap: SettingsFrame,
            routes: [
              ...usersRoutes,
              ...auditRoutes,
              ...adminSettingsRoutes,
              ...reportSettingsRoutes,
              ...deadLettersRoutes,
              ...logoRoutes,
            ],
          },
        ],
      },
    ],
  },
  ...notFoundRoutes,
];
