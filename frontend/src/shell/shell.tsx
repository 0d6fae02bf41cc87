import { type ReactNode, Suspense, use, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { AuthContext, useAuth } from '@/auth/use-auth';
import { useCurrentUserChanges } from '@/data/use-changes';
import { useText } from '@/i18n/texts';
import { lazyPart } from '@/ui/lazy-part';
import { useCurrentRecord, useRecordNameOf } from './current-record';
import { DocumentTitle } from './document-title';
import { Drawer } from './drawer';
import { NewsBanner } from './news-banner';
import { useNoteRecent } from './recent-deliveries';
import { TopBar } from './top-bar';
import { useShortcut } from './use-shortcut';

const DrawerSheet = lazyPart(() => import('./drawer-sheet'), ({ onClose }) => onClose());

/** Frame around all screens that require sign-in. */
export function Shell({ children }: { children: ReactNode }) {
  const { t } = useTranslation('shell');
  const textOf = useText();
  const record = useCurrentRecord();
  const recordName = useRecordNameOf(record);
  const title = record && textOf(record.title);
  useNoteRecent();
  useCurrentUserChanges();
  const [menuOpen, setMenuOpen] = useState(false);
  const [paletteOpen, setPaletteOpen] = useState(false);

  return (
    <div className="flex min-h-dvh flex-col pt-(--news) short:pt-0 print:block print:pt-0">
      {record && <DocumentTitle page={[recordName, title].filter(Boolean).join(' · ')} />}
      <a
        href="#main"
        className="sr-only print:hidden rounded-control bg-accent px-4 py-2 text-sm font-medium text-accent-fg focus-visible:not-sr-only focus-visible:fixed focus-visible:top-2 focus-visible:start-2 focus-visible:z-60 focus-visible:px-4 focus-visible:py-2"
      >
        {t('skip')}
      </a>
      <NewsBanner />
      <div className="flex min-w-0 flex-1 print:block">
        <div
          data-rail
          className="sticky top-(--news) hidden h-[calc(100dvh-var(--news))] w-60 shrink-0 border-e border-line bg-surface rail:w-14 short:top-0 short:h-dvh md:block print:hidden"
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

const PaletteDialog = lazyPart(() => import('./palette-dialog'), ({ onClose }) => onClose());

interface CommandPaletteProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** The palette's code is loaded when the palette is opened for the first time. */
function CommandPalette({ open, onOpenChange }: CommandPaletteProps) {
  useShortcut({ key: 'k', mod: true }, () => onOpenChange(!open));
  if (!open) return null;
  return (
    <Suspense>
      <PaletteDialog onClose={() => onOpenChange(false)} />
    </Suspense>
  );
}

const SessionDialog = lazyPart(() => import('./session-dialog'), ({ onLeave }) => onLeave());

/** Asks for the password in a dialog when the session ends, so that unsaved input is not lost. */
function SessionGuard() {
  const store = use(AuthContext);
  const { isExpired } = useAuth();
  if (!isExpired || !store) return null;
  return (
    <Suspense>
      <SessionDialog
        onResume={store.resume}
        onReturn={() => void store.checkSession()}
        onLeave={store.leave}
      />
    </Suspense>
  );
}
