import { type ReactNode, Suspense, use, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AuthStore } from '@/auth/auth-store';
import { AuthContext, useAuth } from '@/auth/use-auth';
import { useCurrentUserChanges } from '@/data/use-changes';
import { useText } from '@/i18n/texts';
import { Button } from '@/ui/button';
import { STAYS_VISIBLE, useHiddenPage } from '@/ui/hidden-page';
import { lazyPart } from '@/ui/lazy-part';
import { Note } from '@/ui/note';
import { toast } from '@/ui/toast';
import { useCurrentRecord, useRecordNameOf } from './current-record';
import { DocumentTitle } from './document-title';
import { Drawer } from './drawer';
import { NewsBanner } from './news-banner';
import { useNoteRecent } from './recent-deliveries';
import type { SessionDialogProps } from './session-dialog';
import { TopBar } from './top-bar';
import { useShortcut } from './use-shortcut';

const DrawerSheet = lazyPart(() => import('./drawer-sheet'), ({ onClose }) => onClose());

/** Frame around all screens that require sign-in. */
export function Shell({ children }: { children: ReactNode }) {
  const { t } = useTranslation('shell');
  const textOf = useText();
  const { isExpired } = useAuth();
  const record = useCurrentRecord();
  const recordName = useRecordNameOf(record);
  const title = record && textOf(record.title);
  useNoteRecent();
  useCurrentUserChanges();
  const [menuOpen, setMenuOpen] = useState(false);
  const [paletteOpen, setPaletteOpen] = useState(false);

  return (
    <div className="flex min-h-dvh flex-col pt-(--news) short:pt-0 print:block print:pt-0">
      {record && <DocumentTitle page={[!isExpired && recordName, title].filter(Boolean).join(' · ')} />}
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
  const { isExpired } = useAuth();
  useShortcut({ key: 'k', mod: true }, () => {
    // It would open unseen, and take the focus from the dialog that asks for the password.
    if (!isExpired) onOpenChange(!open);
  });
  if (!open) return null;
  return (
    <Suspense>
      <PaletteDialog onClose={() => onOpenChange(false)} />
    </Suspense>
  );
}

const SessionDialog = lazyPart<SessionDialogProps & { onMissing: () => void }>(
  () => import('./session-dialog'),
  ({ onMissing }) => onMissing(),
  { isQuiet: true },
);
/** How long after the shell the dialog is loaded, in milliseconds, so that it doesn't delay the page. */
const PRELOAD_AFTER_MS = 3000;

/** Hides the page and asks for the password when the session ends, so that unsaved input is neither lost nor seen by others. */
function SessionGuard() {
  const store = use(AuthContext);
  const { isExpired } = useAuth();
  useEffect(() => {
    // When the session ends, the dialog's code may be gone because of an update, or out of reach.
    const timer = setTimeout(SessionDialog.preload, PRELOAD_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return isExpired && store ? <ExpiredSession store={store} /> : null;
}

function ExpiredSession({ store }: { store: AuthStore }) {
  const { resume, checkSession } = store;
  const { t } = useTranslation(['shell', 'common']);
  const [isMissing, setMissing] = useState(false);
  useHiddenPage();
  useEffect(() => {
    // The user may have signed in again in another tab.
    const check = () => {
      if (!document.hidden) void checkSession();
    };
    window.addEventListener('focus', check);
    document.addEventListener('visibilitychange', check);
    return () => {
      window.removeEventListener('focus', check);
      document.removeEventListener('visibilitychange', check);
    };
  }, [checkSession]);

  function leave() {
    store.leave();
    // Messages were hidden with the page, and may name customers and drivers.
    toast.remove();
  }

  if (!isMissing) {
    return (
      <Suspense>
        <SessionDialog onResume={resume} onLeave={leave} onMissing={() => setMissing(true)} />
      </Suspense>
    );
  }
  return (
    <div style={STAYS_VISIBLE} className="fixed inset-x-0 bottom-0 z-60 border-t border-line bg-surface p-4 print:hidden">
      <Note tone="warn" role="alert" title={t('session.title')}>
        <p>{t('session.missing')}</p>
        <div className="mt-2 flex flex-wrap gap-2">
          <Button variant="primary" onClick={() => setMissing(false)}>
            {t('common:retry')}
          </Button>
          <Button onClick={leave}>{t('session.leave')}</Button>
        </div>
      </Note>
    </div>
  );
}
