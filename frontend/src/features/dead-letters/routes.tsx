import type { RouteEntry } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';

/** Administrators only. */
export const deadLettersRoutes: readonly RouteEntry[] = [
  {
    name: 'deadLetters',
    path: routePaths.deadLetters,
    page: () => import('./dead-letters-page'),
  },
  {
    name: 'deadLetter',
    path: routePaths.deadLetter,
    page: () => import('./dead-letter-page'),
  },
];
