import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { LogoPicture } from '@/logo/logo-picture';
import { LOGO_HEIGHT, logoAddress } from '@/logo/logo-value';
import { usePublicLogo } from '@/logo/use-public-logo';
import { DocumentTitle } from '@/navigation/document-title';
import type { NavigationRecord } from '@/navigation/records';
import { PoweredBy } from '@/ui/powered-by';
import { Wordmark } from '@/ui/wordmark';
import { RouteMap } from './route-map';

interface AuthLayoutProps {
  record: NavigationRecord;
  /** In the place of the record's own, where one page serves two ends. */
  title?: string | undefined;
  children: ReactNode;
}

/** The customer's logo, as at the top of the drawer; the mark of the product without one. */
function OfficeMark() {
  const { t } = useTranslation('common');
  const logo = usePublicLogo();
  const picture = logo ? logoAddress(logo.url) : undefined;
  return (
    <div className="flex items-center" style={{ height: LOGO_HEIGHT }}>
      {logo && picture !== undefined && (
        <LogoPicture measures={logo} picture={picture} name={t('customerLogo')} />
      )}
      {logo === null && <Wordmark name={t('appName')} />}
    </div>
  );
}

export function AuthLayout({ record, title: ownTitle, children }: AuthLayoutProps) {
  const { t } = useTranslation(['common', 'navigation']);
  const title = ownTitle ?? t(record.title, { ns: 'navigation' });
  return (
    <div className="flex min-h-dvh bg-surface">
      <DocumentTitle page={title} />
      <div className="flex w-full flex-col px-6 pt-10 pb-6 md:w-[560px] md:shrink-0 md:px-25 md:pt-16 md:pb-10">
        <header>
          <OfficeMark />
        </header>
        <main className="flex flex-1 flex-col pt-12 md:justify-center md:py-8">
          <h1 className="text-login font-semibold tracking-[-0.01em]">{title}</h1>
          <p className="mt-1 text-base text-muted">{t(record.subtitle, { ns: 'navigation' })}</p>
          <div className="mt-7">{children}</div>
        </main>
        <footer className="flex items-center justify-between pt-6">
          <PoweredBy />
          <span className="text-caps text-muted tabular-nums">{t('build')}</span>
        </footer>
      </div>
      <div aria-hidden className="relative hidden min-w-0 flex-1 bg-map-land md:block">
        <RouteMap />
      </div>
    </div>
  );
}
