import { useTranslation } from 'react-i18next';
import { Outlet, type RouteObject, ScrollRestoration } from 'react-router';
import { FatalPage, NotFound, PageFailure } from '@/features/errors/failure-pages';
import { loadPageTexts } from '@/i18n/i18n';
import type { RouteEntry } from '@/routing/declarations';
import { PageLoadingProvider, TrailingSlashRule, usePageLoading } from '@/routing/page-loading';
import { registerPages } from '@/routing/preload';
import { RouteAnnouncer } from '@/routing/route-announcer';
import { toRouteObjects } from '@/routing/route-objects';
import { ProgressBar } from '@/ui/progress-bar';
import { StateView } from '@/ui/state-view';
import { TooltipLayer } from '@/ui/tooltip-layer';
import { loadPrivateFrame } from './private-frame';

/** Returns the routes for a react-router data router. */
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

/** Shown until it is known who is signed in. */
function LoadingView() {
  const { t } = useTranslation('common');
  return (
    <main className="flex min-h-dvh flex-col justify-center">
      <StateView kind="loading" title={t('loading')} />
    </main>
  );
}

function PageLoadingBar() {
  const { t } = useTranslation('shell');
  if (!usePageLoading()) return null;
  return <ProgressBar thin label={t('pageLoading')} className="fixed inset-x-0 top-0 z-60" />;
}

function RootLayout() {
  return (
    <PageLoadingProvider>
      <PageLoadingBar />
      <TrailingSlashRule>
        <Outlet />
      </TrailingSlashRule>
      <RouteAnnouncer />
      <TooltipLayer />
      <ScrollRestoration />
    </PageLoadingProvider>
  );
}
