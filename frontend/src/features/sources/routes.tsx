import { WRITE_ROLES } from '@/auth/roles';
import type { RouteEntry } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';

export const sourcesRoutes: readonly RouteEntry[] = [
  { name: 'sources', path: routePaths.sources, page: () => import('./sources-page') },
  {
    name: 'viewSource',
    path: routePaths.viewSource,
    page: () => import('./view-source-page'),
  },
  {
    unauthenticated: 'forbidden',
    roles: WRITE_ROLES,
    routes: [
      {
        name: 'editSource',
        path: routePaths.editSource,
        page: () => import('./edit-source-page'),
      },
      { name: 'newSource', path: routePaths.newSource, page: () => import('./new-source-page') },
    ],
  },
];
