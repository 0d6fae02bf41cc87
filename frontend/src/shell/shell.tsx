import { type ReactNode, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCurrentUserChanges } from '@/data/use-current-user-changes';
import { DocumentTitle } from '@/navigation/document-title';
import { useCurrentRecord } from '@/navigation/use-current-record';
import { useRecordNameOf } from '@/navigation/record-name';
import { lazyPart } from '@/ui/lazy-part';
import { CommandPalette } from './command-palette';
import { Drawer } from './drawer';
import { NewsBanner } from './news-banner';
import { useNoteRecent } from './recent-deliveries';
import { SessionGuard } from './session-guard';
import { TopBar } from './top-bar';

const DrawerSheet = lazyPart(() => import('./drawer-sheet'), ({ onClose }) => onClose());

/** The frame around every screen that needs sign-in. */
export function Shell({ children }: { children: ReactNode }) {
  const { t } = useTranslation(['shell', 'navigation']);
  const record = useCurrentRecord();
  const recordName = useRecordNameOf(record);
  const title = record && t(record.title, { ns: 'navigation' });
  useNoteRecent();
  useCurrentUserChanges();
  const [menuOpen, setMenuOpen] = useState(false);
  const [paletteOpen, setPaletteOpen] = useState(false);

  return (
    <div className="flex min-h-dvh flex-col pt-(--news) short:pt-0 print:block print:pt-0">
      {record && <DocumentTitle page={[recordName, title].filter(Boolean).join(' · ')} />}
      <a
        href="#main"
        className="sr-only rounded-control bg-accent px-4 py-2 text-sm font-medium text-accent-fg focus-visible:not-sr-only focus-visible:fixed focus-visible:top-2 focus-visible:left-2 focus-visible:z-60 focus-visible:px-4 focus-visible:py-2"
      >
        {t('skip')}
      </a>
      <NewsBanner />
      <div className="flex min-w-0 flex-1 print:block">
        <div
          data-rail
          className="sticky top-(--news) hidden h-[calc(100dvh-var(--news))] w-60 shrink-0 border-r border-line bg-surface rail:w-14 short:top-0 short:h-dvh md:block print:hidden"
        >
          <Drawer onUnfold={() => setMenuOpen(true)} />
        </div>
        {menuOpen && (
          <Suspense>
            <DrawerSheet onClose={() => setMenuOpen(false)} />
          </Suspense>
        )}
        <div className="flex min-w-0 flex-1 flex-col">
          <TopBar
            record={record}
            recordName={recordName}
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
      <SessionGuard />
      <CommandPalette open={paletteOpen} onOpenChange={setPaletteOpen} />
    </div>
  );
}
