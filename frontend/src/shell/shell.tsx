import { type ReactNode, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCurrentUserChanges } from '@/data/use-current-user-changes';
import { DocumentTitle } from '@/navigation/document-title';
import { useCurrentRecord } from '@/navigation/use-current-record';
import { lazyPart } from '@/ui/lazy-part';
import { CommandPalette } from './command-palette';
import { Drawer } from './drawer';
import { NewsBanner } from './news-banner';
import { useNoteRecent } from './recent-deliveries';
import { TopBar } from './top-bar';

const DrawerSheet = lazyPart(() => import('./drawer-sheet'), ({ onClose }) => onClose());

/** The frame around every screen that needs sign-in. */
export function Shell({ children }: { children: ReactNode }) {
  const { t } = useTranslation(['shell', 'navigation']);
  const record = useCurrentRecord();
  useNoteRecent();
  useCurrentUserChanges();
  const [menuOpen, setMenuOpen] = useState(false);
  const [paletteOpen, setPaletteOpen] = useState(false);

  return (
    <div className="flex min-h-dvh flex-col pt-(--news) print:block print:pt-0">
      {record && <DocumentTitle page={t(record.title, { ns: 'navigation' })} />}
      <a
        href="#main"
        className="sr-only rounded-control bg-accent px-4 py-2 text-sm font-medium text-accent-fg focus-visible:not-sr-only focus-visible:fixed focus-visible:top-2 focus-visible:left-2 focus-visible:z-60 focus-visible:px-4 focus-visible:py-2"
      >
        {t('skip')}
      </a>
      <NewsBanner />
      <div className="flex min-w-0 flex-1 print:block">
        <div className="sticky top-(--news) hidden h-[calc(100dvh-var(--news))] w-60 shrink-0 border-r border-line bg-surface md:block print:hidden">
          <Drawer />
        </div>
        {menuOpen && (
          <Suspense>
            <DrawerSheet onClose={() => setMenuOpen(false)} />
          </Suspense>
        )}
        <div className="flex min-w-0 flex-1 flex-col">
          <TopBar
            record={record}
            onOpenMenu={() => setMenuOpen(true)}
            onOpenPalette={() => setPaletteOpen(true)}
          />
          <main
            id="main"
            tabIndex={-1}
            className="flex min-w-0 flex-1 flex-col focus-visible:outline-none"
          >
            {children}
          </main>
        </div>
      </div>
      <CommandPalette open={paletteOpen} onOpenChange={setPaletteOpen} />
    </div>
  );
}
