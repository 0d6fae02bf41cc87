import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type TextKey, useText } from '@/i18n/texts';
import { hasSingleKeys, setSingleKeys } from '@/lib/single-keys';
import { useCurrentRecord } from '@/shell/current-record';
import { isCovered, isTyping } from '@/shell/page-keys';
import { Checkbox } from '@/ui/checkbox';
import { Dialog, DialogContent } from '@/ui/dialog';
import { Kbd } from '@/ui/tag';
import { TOAST_KEY } from '@/ui/toast';

export interface ListShortcuts {
  enabled: boolean;
  container: RefObject<HTMLElement | null>;
  /** Whether a row is open in the side panel, which then has the keys J and K. */
  isRowOpen: boolean;
  openFilters: () => void;
  openHelp: () => void;
  previousPage: () => void;
  nextPage: () => void;
  /**
   * This and `selectRow` take the index of a row on the page. They are undefined if rows cannot be edited or selected.
   */
  editRow: ((index: number) => void) | undefined;
  selectRow: ((index: number, range: boolean) => void) | undefined;
  clearSelection: (() => void) | undefined;
}

/** Attribute of the links that open rows. J and K move the focus between these links. */
export const ROW_LINK = 'data-row-link';

function rowLinks(container: HTMLElement | null): HTMLElement[] {
  return [...(container?.querySelectorAll<HTMLElement>(`[${ROW_LINK}]`) ?? [])];
}

/** Returns the index of the row that contains the focus, or -1. */
function currentRow(container: HTMLElement | null): number {
  const row = document.activeElement?.closest('tr, li');
  return rowLinks(container).findIndex((link) => row?.contains(link));
}

function moveRow(container: HTMLElement | null, step: 1 | -1) {
  const links = rowLinks(container);
  const current = currentRow(container);
  const next = current < 0 ? 0 : Math.min(links.length - 1, Math.max(0, current + step));
  links[next]?.focus();
  links[next]?.scrollIntoView?.({ block: 'nearest' });
}

type Keys = Record<string, ((event: KeyboardEvent) => void) | undefined>;

/**
 * Handles single-key shortcuts, except while the user types or a dialog is open. With `inPanel`, the keys belong to the
 * open side panel.
 */
export function useListKeys(keys: Keys, { inPanel = false } = {}) {
  // Layout effects, so that a key works from the moment that the screen shows what it acts on.
  const latest = useRef(keys);
  useLayoutEffect(() => {
    latest.current = keys;
  });

  useLayoutEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target) || isCovered(inPanel)) return;
      const action = latest.current[event.key.toLowerCase()];
      if (!action) return;
      event.preventDefault();
      action(event);
    }
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [inPanel]);
}

export function useListShortcuts(shortcuts: ListShortcuts) {
  const { enabled, container, isRowOpen, editRow, selectRow, clearSelection } = shortcuts;
  const onRow = (run: (index: number, event: KeyboardEvent) => void) => (event: KeyboardEvent) => {
    const index = currentRow(container.current);
    if (index >= 0) run(index, event);
  };
  useListKeys({
    ...(enabled && {
      ...(!isRowOpen && {
        j: () => moveRow(container.current, 1),
        k: () => moveRow(container.current, -1),
      }),
      f: shortcuts.openFilters,
      '[': shortcuts.previousPage,
      ']': shortcuts.nextPage,
      ...(editRow && { e: onRow(editRow) }),
      ...(selectRow && { x: onRow((index, { shiftKey }) => selectRow(index, shiftKey)) }),
      ...(clearSelection && { escape: clearSelection }),
    }),
    // Always active, since its dialog turns the other shortcuts back on.
    '?': shortcuts.openHelp,
  });
}

/** Whether single-key shortcuts are on, and a function to turn them on or off. */
export function useShortcutPreference(): [boolean, (enabled: boolean) => void] {
  const [enabled, setEnabled] = useState(hasSingleKeys);
  return [
    enabled,
    (next) => {
      setEnabled(next);
      setSingleKeys(next);
    },
  ];
}

/** Handles single-key shortcuts of a page unless the user turned them off; returns whether they are on. */
export function usePageKeys(keys: Keys): boolean {
  const [enabled] = useState(hasSingleKeys);
  useListKeys(enabled ? keys : {});
  return enabled;
}

interface Offered {
  selects: boolean;
  edits: boolean;
}

/** What some lists do not have. */
type Part = keyof Offered | 'searches';

interface HelpDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  enabled: boolean;
  onEnabledChange: (enabled: boolean) => void;
  /** Which of the optional row actions this list offers. */
  offered: Offered;
}

const shortcuts: { keys: string[]; text: TextKey; only?: Part }[] = [
  { keys: ['j'], text: 'list:help.next' },
  { keys: ['k'], text: 'list:help.previous' },
  { keys: ['Enter'], text: 'list:help.open_row' },
  { keys: ['e'], text: 'list:help.edit', only: 'edits' },
  { keys: ['x'], text: 'list:help.select', only: 'selects' },
  { keys: ['*'], text: 'list:help.select_all', only: 'selects' },
  { keys: ['Esc'], text: 'list:help.clear', only: 'selects' },
  { keys: ['f'], text: 'list:help.filters' },
  { keys: ['[', ']'], text: 'list:help.pages' },
  { keys: ['/'], text: 'list:help.search', only: 'searches' },
  { keys: ['Ctrl', 'K'], text: 'list:help.palette' },
  { keys: [TOAST_KEY], text: 'list:help.toast' },
  { keys: ['?'], text: 'list:help.help' },
];

export function HelpDialog(props: HelpDialogProps) {
  const { open, onOpenChange, enabled, onEnabledChange, offered } = props;
  const { t } = useTranslation('list');
  const textOf = useText();
  const searches = useCurrentRecord()?.quickSearch !== undefined;
  const known = shortcuts.filter(({ only }) => !only || { ...offered, searches }[only]);
  return (
    <Dialog open={open} onOpenChange={onOpenChange}>
      <DialogContent title={t('help.title')}>
        <dl className="divide-y divide-line">
          {known.map(({ keys, text }) => (
            <div key={text} className="flex min-h-9 items-center justify-between gap-4 py-1.5">
              <dt className="text-sm">{textOf(text)}</dt>
              <dd className="flex shrink-0 gap-1">
                {keys.map((key) => (
                  <Kbd key={key}>{key}</Kbd>
                ))}
              </dd>
            </div>
          ))}
        </dl>
        <Checkbox
          className="mt-3"
          label={t('help.enabled')}
          checked={enabled}
          onChange={({ target }) => onEnabledChange(target.checked)}
        />
      </DialogContent>
    </Dialog>
  );
}
