import { ArrowLeft, Bell, Command, Menu, Search, X } from 'lucide-react';
import {
  type ClipboardEvent,
  type KeyboardEvent,
  Suspense,
  useEffect,
  useRef,
  useState,
} from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation, useNavigate } from 'react-router';
import { useText } from '@/i18n/texts';
import { closeKeyboard } from '@/lib/on-screen-keyboard';
import { hasSingleKeys } from '@/lib/single-keys';
import { areWithinLimits } from '@/list/filters-codec';
import { linkBack } from '@/list/list-origin';
import { Button, IconButton } from '@/ui/button';
import { cn } from '@/ui/cn';
import { Input } from '@/ui/input';
import { lazyPart } from '@/ui/lazy-part';
import { Kbd } from '@/ui/tag';
import { toast } from '@/ui/toast';
import { useFocusFallback } from '@/ui/use-focus-fallback';
import {
  closedSearchAddress,
  quickSearchAddress,
  quickSearchFilters,
  quickSearchText,
  quickSearchTexts,
} from './quick-search-address';
import { type NavigationRecord, navigationRecords } from './records';
import { ThemeSwitch } from './theme-switch';
import { useShortcut } from './use-shortcut';

/** The bell is loaded after the page, which does not depend on it. */
const AnnouncementsMenu = lazyPart<{ startsOpen: boolean; onMissing: () => void }>(
  () => import('./announcements-menu'),
  ({ onMissing }) => onMissing(),
);

/** The bell. If its code failed to load, a click loads it again. */
function Announcements() {
  const { t } = useTranslation('shell');
  const [isMissing, setMissing] = useState<boolean>();
  if (isMissing) {
    return <IconButton icon={Bell} label={t('announcements.title')} onClick={() => setMissing(false)} />;
  }
  return (
    <Suspense fallback={<span className="size-8 shrink-0" />}>
      <AnnouncementsMenu startsOpen={isMissing === false} onMissing={() => setMissing(true)} />
    </Suspense>
  );
}

interface TopBarProps {
  record: NavigationRecord | undefined;
  /** Name of the record for screen readers; the page itself shows it. */
  recordName: string | undefined;
  onOpenMenu: () => void;
  onOpenPalette: () => void;
}

export function TopBar({ record, recordName, onOpenMenu, onOpenPalette }: TopBarProps) {
  const { t } = useTranslation('shell');
  const textOf = useText();
  const { state } = useLocation();
  const [searchOpen, setSearchOpen] = useState(false);
  const parent = record?.parent && navigationRecords[record.parent];
  const backTo = parent && t('backTo', { page: textOf(parent.title) });
  const search = record?.quickSearch;
  const opener = useRef<HTMLButtonElement>(null);
  return (
    <header className="sticky top-(--news) z-20 flex h-14 shrink-0 items-center gap-3 border-b border-line bg-surface px-4 short:static md:px-6 print:hidden">
      <IconButton
        icon={Menu}
        label={t('openMenu')}
        onClick={onOpenMenu}
        className="-ms-2 md:hidden"
      />
      {parent && (
        <Link
          {...linkBack(state, parent.path)}
          aria-label={backTo}
          data-tip={backTo}
          className="hit-target -ms-2 flex size-8 shrink-0 items-center justify-center rounded-control text-muted transition-colors duration-120 ease-out hover:bg-raised hover:text-fg"
        >
          <ArrowLeft aria-hidden className="size-4" />
        </Link>
      )}
      <div className="min-w-0 flex-1 md:min-w-40">
        {record && (
          <>
            <h1 data-tip-cut className="truncate text-title font-semibold">
              {textOf(record.title)}
              {recordName && <span className="sr-only"> {recordName}</span>}
            </h1>
            <p data-tip-cut className="truncate text-xs text-muted">{textOf(record.subtitle)}</p>
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
            onLeave={() => {
              setSearchOpen(false);
              if (searchOpen) opener.current?.focus();
            }}
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
      <Announcements />
      <ThemeSwitch className="max-md:hidden" />
      <IconButton
        ref={opener}
        icon={Search}
        label={t(search ? 'quickSearch.open' : 'palette.open')}
        onClick={() => (search ? setSearchOpen(true) : onOpenPalette())}
        className="-me-2 md:hidden"
      />
    </header>
  );
}

interface QuickSearchProps {
  info: NonNullable<NavigationRecord['quickSearch']>;
  focusOnMount?: boolean;
  /** Called when the search is closed; narrow screens then hide it. */
  onLeave?: () => void;
}

function QuickSearch({ info, focusOnMount = false, onLeave }: QuickSearchProps) {
  const { t } = useTranslation(['shell', 'list']);
  const textOf = useText();
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const box = useRef<HTMLInputElement>(null);
  const root = useFocusFallback<HTMLElement>(() => box.current);
  // Filters from another screen do not apply to this list.
  const ownSearch = pathname === navigationRecords[info.route].path ? search : '';
  const applied = quickSearchText(ownSearch, info);
  const [draft, setDraft] = useState({ applied, text: applied });
  if (draft.applied !== applied) setDraft({ applied, text: applied });

  const hasKey = hasSingleKeys();
  useShortcut({ key: '/' }, () => box.current?.focus());
  useEffect(() => {
    if (focusOnMount) box.current?.focus();
  }, [focusOnMount]);

  function close() {
    setDraft({ applied, text: '' });
    onLeave?.();
    if (applied) void navigate(closedSearchAddress(ownSearch, info));
  }

  function submit() {
    const text = draft.text.trim();
    closeKeyboard(box.current);
    if (!text) return close();
    if (text === applied) return;
    if (areWithinLimits(quickSearchFilters(ownSearch, info, text))) {
      void navigate(quickSearchAddress(ownSearch, info, text));
    } else {
      toast.error(t('list:tooManyValues'), { id: 'quick-search' });
    }
  }

  /** Closes the search and leaves it, so that the single keys of the list work. */
  function leave() {
    close();
    if (!focusOnMount) document.querySelector('main')?.focus({ preventScroll: true });
  }

  /** Keeps the lines of a pasted column separate, which a text input would join. */
  function paste(event: ClipboardEvent<HTMLInputElement>) {
    const pasted = event.clipboardData.getData('text');
    const texts = quickSearchTexts(pasted, info.key);
    if (texts.length < 2 || !/[\t\r\n]/.test(pasted.trim())) return;
    event.preventDefault();
    setDraft({ applied, text: texts.join(', ') });
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    leave();
  }

  const closable = Boolean(draft.text) || focusOnMount;
  return (
    <search ref={root} className="w-full">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Input
          ref={box}
          size={32}
          value={draft.text}
          onChange={(event) => setDraft({ applied, text: event.target.value })}
          onKeyDown={onKeyDown}
          aria-label={textOf(info.label)}
          aria-keyshortcuts={hasKey ? '/' : undefined}
          placeholder={textOf(info.placeholder)}
          onPaste={paste}
          enterKeyHint="search"
          autoComplete="off"
          spellCheck={false}
          start={<Search aria-hidden className="size-4" />}
          end={
            closable ? (
              <IconButton icon={X} size={28} label={t('quickSearch.close')} shortcut="Esc" onClick={leave} />
            ) : (
              hasKey && (
                <span aria-hidden className="max-md:hidden">
                  <Kbd>/</Kbd>
                </span>
              )
            )
          }
        />
      </form>
    </search>
  );
}
