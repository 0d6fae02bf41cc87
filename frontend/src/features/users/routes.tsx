import type { RouteEntry } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';

/** Administrators only, within the admin settings. */
export const usersRoutes: readonly RouteEntry[] = [
  { name: 'adminUsers', path: routePaths.adminUsers, page: () => import('./users-page') },
  // Before `viewUser`, which would match this address as an ID.
  { name: 'newUser', path: routePaths.newUser, page: () => import('./new-user-page') },
  { name: 'viewUser', path: routePaths.viewUser, page: () => import('./view-user-page') },
  {
    name: 'editUserRoles',
    path: routePaths.editUserRoles,
    page: () => import('./edit-user-roles-page'),
  },
];

/** Administrators only; has its own drawer link. */
export const userResetPasswordRoutes: readonly RouteEntry[] = [
  {
    name: 'userResetPassword',
    path: routePaths.userResetPassword,
    page: () => import('./user-reset-password-page'),
  },
];
