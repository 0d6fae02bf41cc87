import type { RouteEntry } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';

export const logoRoutes: readonly RouteEntry[] = [
  { name: 'editLogo', path: routePaths.editLogo, page: () => import('./edit-logo-page') },
];
