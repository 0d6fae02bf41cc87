import { ArrowLeft, Command, Menu, Search } from 'lucide-react';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router';
import { OFFICE_ROLES } from '@/auth/roles';
import { useAuth } from '@/auth/use-auth';
import { originAddress, RETURN } from '@/list/list-origin';
import { type NavigationRecord, navigationRecords } from '@/navigation/records';
import { Button, IconButton } from '@/ui/button';
import { cn } from '@/ui/cn';
import { lazyPart } from '@/ui/lazy-part';
import { QuickSearch } from './quick-search';
import { ThemeSwitch } from './theme-switch';

/** Fetched after the page: nothing on it waits for the bell. */
const AnnouncementsMenu = lazyPart(() => import('./announcements-menu'), () => undefined);

interface TopBarProps {
  record: NavigationRecord | undefined;
  /** The record the page is about, for readers: the page shows it itself. */
  recordName: string | undefined;
  onOpenMenu: () => void;
  onOpenPalette: () => void;
}

export function TopBar({ record, recordName, onOpenMenu, onOpenPalette }: TopBarProps) {
  const { t } = useTranslation(['shell', 'navigation']);
  const { hasRole } = useAuth();
  const { state } = useLocation();
  const [searchOpen, setSearchOpen] = useState(false);
  const parent = record?.parent && navigationRecords[record.parent];
  const backTo = parent && t('backTo', { page: t(parent.title, { ns: 'navigation' }) });
  const search = record?.quickSearch;
  return (
    <header className="sticky top-(--news) z-20 flex h-14 shrink-0 items-center gap-3 border-b border-line bg-surface px-4 short:static md:px-6 print:hidden">
      <IconButton
        icon={Menu}
        label={t('openMenu')}
        onClick={onOpenMenu}
        className="-ml-2 md:hidden"
      />
      {parent && (
        <Link
          to={originAddress(state, parent.path)}
          state={RETURN}
          aria-label={backTo}
          data-tip={backTo}
          className="hit-target -ml-2 flex size-8 shrink-0 items-center justify-center rounded-control text-muted transition-colors duration-120 ease-out hover:bg-raised hover:text-fg"
        >
          <ArrowLeft aria-hidden className="size-4" />
        </Link>
      )}
      <div className="min-w-0 flex-1 md:min-w-40">
        {record && (
          <>
            <h1 className="truncate text-title font-semibold">
              {t(record.title, { ns: 'navigation' })}
              {recordName && <span className="sr-only"> {recordName}</span>}
            </h1>
            <p className="truncate text-xs text-muted">{t(record.subtitle, { ns: 'navigation' })}</p>
          </>
        )}
      </div>
      {search && (
        <div
          className={cn(
            'w-64 min-w-28 shrink-999 max-md:absolute max-md:inset-x-0 max-md:top-0 max-md:z-10 max-md:h-full max-md:w-auto max-md:items-center max-md:bg-surface max-md:px-4',
            searchOpen ? 'max-md:flex' : 'max-md:hidden',
          )}
        >
          <QuickSearch
            info={search}
            focusOnMount={searchOpen}
            key={String(searchOpen)}
            onLeave={() => setSearchOpen(false)}
          />
        </div>
      )}
      <Button
        variant="quiet"
        icon={Command}
        onClick={onOpenPalette}
        aria-keyshortcuts="Control+K Meta+K"
        className="max-md:hidden"
      >
        {/* Keep the visible text in the accessible name (WCAG 2.5.3). */}
        <span className="sr-only">{t('palette.open')}</span> {t('palette.keys')}
      </Button>
      {/* Announcements are for office roles only. */}
      {hasRole(OFFICE_ROLES) && (
        <Suspense fallback={<span className="size-8 shrink-0" />}>
          <AnnouncementsMenu />
        </Suspense>
      )}
      <ThemeSwitch className="max-md:hidden" />
      <IconButton
        icon={Search}
        label={t(search ? 'quickSearch.open' : 'palette.open')}
        onClick={() => (search ? setSearchOpen(true) : onOpenPalette())}
        className="-mr-2 md:hidden"
      />
    </header>
  );
}
