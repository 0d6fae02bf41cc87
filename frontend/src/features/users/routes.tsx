import type { RouteEntry } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';

/** Routes for administrators only, within the admin settings. */
export const usersRoutes: readonly RouteEntry[] = [
  { name: 'adminUsers', path: routePaths.adminUsers, page: () => import('./users-page') },
  // Must come before `viewUser`, which would take the last part of this address for an ID.
  { name: 'newUser', path: routePaths.newUser, page: () => import('./new-user-page') },
  { name: 'viewUser', path: routePaths.viewUser, page: () => import('./view-user-page') },
  {
    name: 'editUserRoles',
    path: routePaths.editUserRoles,
    page: () => import('./edit-user-roles-page'),
  },
];

/** A route for administrators only, with its own drawer link. */
export const userResetPasswordRoutes: readonly RouteEntry[] = [
  {
    name: 'userResetPassword',
    path: routePaths.userResetPassword,
    page: () => import('./user-reset-password-page'),
  },
];
