import type { RouteEntry } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';

export const formsRoutes: readonly RouteEntry[] = [
  { name: 'forms', path: routePaths.forms, page: () => import('./forms-page') },
  { name: 'viewForm', path: routePaths.viewForm, page: () => import('./view-form-page') },
];
