import { Search, X } from 'lucide-react';
import { type ClipboardEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate } from 'react-router';
import { type NavigationRecord, navigationRecords } from '@/navigation/records';
import { IconButton } from '@/ui/button';
import { Input } from '@/ui/input';
import { Kbd } from '@/ui/kbd';
import {
  closedSearchAddress,
  quickSearchAddress,
  quickSearchText,
  quickSearchTexts,
} from './quick-search-address';
import { useShortcut } from './use-shortcut';

interface QuickSearchProps {
  info: NonNullable<NavigationRecord['quickSearch']>;
  focusOnMount?: boolean;
  /** Called when the box is closed, which narrow screens then hide. */
  onLeave?: () => void;
}

export function QuickSearch({ info, focusOnMount = false, onLeave }: QuickSearchProps) {
  const { t } = useTranslation(['shell', 'navigation']);
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const box = useRef<HTMLInputElement>(null);
  // Another screen's filters are not those of this list.
  const ownSearch = pathname === navigationRecords[info.route].path ? search : '';
  const applied = quickSearchText(ownSearch, info);
  const [draft, setDraft] = useState({ applied, text: applied });
  if (draft.applied !== applied) setDraft({ applied, text: applied });

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
    if (!text) close();
    else if (text !== applied) void navigate(quickSearchAddress(ownSearch, info, text));
  }

  /** A text box would run the lines of a pasted column together. */
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
    close();
    box.current?.blur();
  }

  const closable = Boolean(draft.text) || focusOnMount;
  return (
    <search className="w-full">
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
          aria-label={t(info.label, { ns: 'navigation' })}
          aria-keyshortcuts="/"
          placeholder={t(info.placeholder, { ns: 'navigation' })}
          maxLength={2000}
          onPaste={paste}
          enterKeyHint="search"
          autoComplete="off"
          spellCheck={false}
          start={<Search aria-hidden className="size-4" />}
          end={
            closable ? (
              <IconButton icon={X} size={28} label={t('quickSearch.close')} onClick={close} />
            ) : (
              <span aria-hidden className="max-md:hidden">
                <Kbd>/</Kbd>
              </span>
            )
          }
        />
      </form>
    </search>
  );
}
