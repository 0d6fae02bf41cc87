import type { RouteEntry } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';

export const authRoutes: readonly RouteEntry[] = [
  { name: 'login', path: routePaths.login, page: () => import('./login-page') },
  {
    name: 'createAdmin',
    path: routePaths.createAdmin,
    page: () => import('./create-admin-page'),
  },
  {
    name: 'forgotPassword',
    path: routePaths.forgotPassword,
    page: () => import('./forgot-password-page'),
  },
  {
    name: 'resetPassword',
    path: routePaths.resetPassword,
    page: () => import('./reset-password-page'),
  },
  {
    name: 'register',
    path: routePaths.register,
    page: () => import('./register-page'),
  },
];
