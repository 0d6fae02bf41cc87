import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { AppError } from '@/data/errors';
import { LogoPicture, usePublicLogo } from '@/domain/logo';
import { LOGO_HEIGHT, logoAddress } from '@/domain/logo-value';
import { useText } from '@/i18n/texts';
import { DocumentTitle } from '@/shell/document-title';
import type { NavigationRecord } from '@/shell/records';
import { Button } from '@/ui/button';
import { Note } from '@/ui/note';
import { PoweredBy, Wordmark } from '@/ui/brand';
import { Skeleton } from '@/ui/skeleton';

interface AuthLayoutProps {
  record: NavigationRecord;
  /** Overrides the record's title, for pages with two purposes. */
  title?: string | undefined;
  children: ReactNode;
}

/** The customer's logo, or Waybill's own if there is none. */
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
  const { t } = useTranslation('common');
  const textOf = useText();
  const title = ownTitle ?? textOf(record.title);
  return (
    <div className="flex min-h-dvh bg-surface">
      <DocumentTitle page={title} />
      <div className="flex w-full flex-col px-6 pt-10 pb-6 md:w-[560px] md:shrink-0 md:px-25 md:pt-16 md:pb-10">
        <header>
          <OfficeMark />
        </header>
        <main className="flex flex-1 flex-col pt-12 md:justify-center md:py-8">
          <h1 className="text-login font-semibold tracking-[-0.01em]">{title}</h1>
          <p className="mt-1 text-base text-muted">{textOf(record.subtitle)}</p>
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

const ROUTE =
  'M176 248C190 300 204 366 236 366c34 0 44-48 78-70 50-32 68-58 114-58 62 0 96-18 150-18 48 0 92 20 116 78 14 34 12 92 10 134-2 56-42 104-70 144-18 26-34 42-58 62';
const STOPS = [
  [314, 297],
  [478, 237],
  [711, 431],
] as const;

const minorRoads = [
  'M140 190c24-70 132-120 132-188M272 2v180l-58 90M150 196c-30 60-44 150 16 176l60 24',
  'M384 78c30 60 40 120 60 186M266 246l116 138-2 130M216 384l88 196 60 190',
  'M424 570c60 0 90-36 150-22s120-44 166-46M820 470c-40 60-60 90-38 140s60 80 98 60',
  'M470 610c60-14 120-46 200-4s100-20 130 8-40 70-76 62',
  'M560 150c80-40 190-18 320 20M600 900c16-90 40-120 30-230M260 880c20-60 70-60 130-50s150-20 200-60',
];
const majorRoads = [
  'M60 0c60 8 190 2 330 0s150 40 230 48 90 30 126 90M640 126 250 360M880 150l-110-10-420 210',
  'M202 366c30 60 70 110 100 180s30 140 24 200 10 100 20 160M364 502l110 242 60 176M500 420l190 90 150-8',
  'M266 762c120-20 220-40 330-90s110-160 210-190M640 630l260 170',
];

/** Decorative map of a completed route. */
function RouteMap() {
  return (
    <svg
      viewBox="0 0 880 900"
      preserveAspectRatio="xMidYMid slice"
      fill="none"
      strokeLinecap="round"
      strokeLinejoin="round"
      className="absolute inset-0 size-full"
    >
      <path
        d="M0 0h8c22 70 60 120 78 190s34 120 30 170-22 40-4 78 60 60 98 94 62 30 66 84-28 70-18 140 26 90 28 144H0Z"
        className="fill-map-water stroke-map-coast"
      />
      <g className="fill-map-green">
        <path d="M664 30c20-30 50-30 66 0s4 80-24 88-62-40-42-88ZM740 0h140v56c-40 20-120 14-140-56Z" />
        <path d="M216 466c14-18 54-20 62 2s-24 40-46 34-28-20-16-36ZM490 772c10-36 90-50 116-18s0 80-40 72-88-18-76-54ZM640 820c10-36 80-30 92 6s-14 74-46 70-56-44-46-76Z" />
      </g>
      <path
        d="M118 388c60-14 90 6 140 6s50-40 100-28 36 70 60 96 40 8 66-28 60-24 46 24-10 70 40 88 80-28 130-10 90 30 120 70 40 60 66 90M820 640c20-60 40-90 66-120"
        className="stroke-map-water"
        strokeWidth="7"
      />
      <g className="stroke-map-minor" strokeWidth="4">
        {minorRoads.map((road) => (
          <path key={road} d={road} />
        ))}
      </g>
      <g className="stroke-map-casing" strokeWidth="8">
        {majorRoads.map((road) => (
          <path key={road} d={road} />
        ))}
      </g>
      <g className="stroke-map-road" strokeWidth="6">
        {majorRoads.map((road) => (
          <path key={road} d={road} />
        ))}
      </g>
      <path d={ROUTE} className="stroke-map-road" strokeWidth="9" />
      <path d={ROUTE} className="stroke-accent" strokeWidth="4.5" />
      <circle cx="176" cy="248" r="7" className="fill-surface stroke-accent" strokeWidth="4" />
      {STOPS.map(([x, y]) => (
        <g key={x} transform={`translate(${x} ${y})`}>
          <circle r="11" className="fill-chart-ok stroke-map-road" strokeWidth="2.5" />
          <path d="m-4 0 3 3 5-6" className="stroke-map-road" strokeWidth="2" />
        </g>
      ))}
      <g transform="translate(576 640)">
        <circle r="19" className="fill-accent stroke-map-road" strokeWidth="3" />
        <path
          d="M-6.5-3.2-3 4.2 0-1.200 2.8 4.200 7.400-5"
          className="stroke-accent-fg"
          strokeWidth="2.4"
        />
      </g>
    </svg>
  );
}

/** A link inside running text. */
export function AuthLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link to={to} className="font-medium text-accent underline underline-offset-2">
      {children}
    </Link>
  );
}

/** Skeleton of a form with the given number of fields, so that nothing shifts when it loads. */
export function FormSkeleton({ fields }: { fields: number }) {
  const { t } = useTranslation('auth');
  return (
    <div role="status" aria-label={t('loading')} className="flex flex-col gap-4">
      {Array.from({ length: fields }, (_, index) => (
        <div key={index} className="flex flex-col gap-2">
          <Skeleton className="mt-1 h-3 w-24 rounded-full" />
          <Skeleton className="h-10 rounded-control pointer-coarse:h-11" />
        </div>
      ))}
      <Skeleton className="h-10 rounded-control pointer-coarse:h-12" />
    </div>
  );
}

interface LoadFailureProps {
  failure: AppError;
  onRetry: () => void;
}

/** Shown in place of content that failed to load. */
export function LoadFailure({ failure, onRetry }: LoadFailureProps) {
  const { t } = useTranslation('common');
  return (
    <Note
      tone="bad"
      role="alert"
      action={
        <Button size={28} onClick={onRetry}>
          {t('retry')}
        </Button>
      }
    >
      {failure.detail ?? failure.message}
    </Note>
  );
}

interface NextStepProps {
  to: string;
  children: ReactNode;
}

/** The single button at the end of a finished flow. */
export function NextStep({ to, children }: NextStepProps) {
  return (
    <Button asChild variant="primary" size={40} className="mt-5 w-full">
      <Link to={to}>{children}</Link>
    </Button>
  );
}
