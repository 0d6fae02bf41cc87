import type { RouteEntry } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';

/** For administrators. */
export const deadLettersRoutes: readonly RouteEntry[] = [
  {
    name: 'deadLetters',
    path: routePaths.deadLetters,
    page: () => import('./pages/dead-letters-page'),
  },
  {
    name: 'deadLetter',
    path: routePaths.deadLetter,
    page: () => import('./pages/dead-letter-page'),
  },
];
