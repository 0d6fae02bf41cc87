import type { RouteObject } from 'react-router';
import { FatalPage } from '@/features/errors/components/fatal-page';
import { NotFound } from '@/features/errors/components/not-found';
import { PageFailure } from '@/features/errors/components/page-failure';
import { loadPageTexts } from '@/i18n/i18n';
import type { RouteEntry } from '@/routing/declarations';
import { registerPages } from '@/routing/preload';
import { toRouteObjects } from '@/routing/route-objects';
import { LoadingView } from './loading-view';
import { loadPrivateFrame } from './private-frame';
import { RootLayout } from './root-layout';

/** What a data router of react-router is made from. */
export function createAppRoutes(declarations: readonly RouteEntry[]): RouteObject[] {
  registerPages(declarations);
  return [
    {
      Component: RootLayout,
      HydrateFallback: LoadingView,
      ErrorBoundary: FatalPage,
      children: toRouteObjects(declarations, {
        whileLoadingAuth: <LoadingView />,
        notFound: NotFound,
        pageFailure: PageFailure,
        loadForPrivate: async () => {
          await Promise.all([loadPrivateFrame(), loadPageTexts()]);
        },
      }),
    },
  ];
}
