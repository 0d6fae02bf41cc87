import type { RouteEntry } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';

/** For administrators, inside the frame of the admin settings. */
export const usersRoutes: readonly RouteEntry[] = [
  { name: 'adminUsers', path: routePaths.adminUsers, page: () => import('./users-page') },
  // Before the page of one user, whose address would take this one as an id.
  { name: 'newUser', path: routePaths.newUser, page: () => import('./new-user-page') },
  { name: 'viewUser', path: routePaths.viewUser, page: () => import('./view-user-page') },
  {
    name: 'editUserRoles',
    path: routePaths.editUserRoles,
    page: () => import('./edit-user-roles-page'),
  },
];

/** For administrators, a link of the drawer. */
export const userResetPasswordRoutes: readonly RouteEntry[] = [
  {
    name: 'userResetPassword',
    path: routePaths.userResetPassword,
    page: () => import('./user-reset-password-page'),
  },
];
