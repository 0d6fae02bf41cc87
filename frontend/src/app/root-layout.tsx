import { useTranslation } from 'react-i18next';
import { Outlet, ScrollRestoration } from 'react-router';
import { PageLoadingProvider, usePageLoading } from '@/routing/page-loading';
import { RouteAnnouncer } from '@/routing/route-announcer';
import { TrailingSlashRule } from '@/routing/trailing-slash';
import { ProgressBar } from '@/ui/progress-bar';
import { TooltipLayer } from '@/ui/tooltip-layer';

function PageLoadingBar() {
  const { t } = useTranslation('shell');
  if (!usePageLoading()) return null;
  return <ProgressBar thin label={t('pageLoading')} className="fixed inset-x-0 top-0 z-60" />;
}

export function RootLayout() {
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
