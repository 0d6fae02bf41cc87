import type { RouteEntry } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';

export const authRoutes: readonly RouteEntry[] = [
  { name: 'login', path: routePaths.login, page: () => import('./pages/login-page') },
  {
    name: 'createAdmin',
    path: routePaths.createAdmin,
    page: () => import('./pages/create-admin-page'),
  },
  {
    name: 'forgotPassword',
    path: routePaths.forgotPassword,
    page: () => import('./pages/forgot-password-page'),
  },
  {
    name: 'resetPassword',
    path: routePaths.resetPassword,
    page: () => import('./pages/reset-password-page'),
  },
  {
    name: 'register',
    path: routePaths.register,
    page: () => import('./pages/register-page'),
  },
];
