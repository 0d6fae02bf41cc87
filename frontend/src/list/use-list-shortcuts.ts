import { useEffect, useRef, type RefObject } from 'react';

export interface ListShortcuts {
  enabled: boolean;
  container: RefObject<HTMLElement | null>;
  openFilters: () => void;
  openHelp: () => void;
  previousPage: () => void;
  nextPage: () => void;
  /** Both of the row, counted from the first of the page; only where rows can be edited or selected. */
  editRow: ((index: number) => void) | undefined;
  selectRow: ((index: number, range: boolean) => void) | undefined;
  clearSelection: (() => void) | undefined;
}

/** Marks the link of a row that j and k walk over; Enter then opens it as on any link. */
export const ROW_LINK = 'data-row-link';

const TYPED =
  'input:not([type="checkbox"], [type="radio"]), textarea, select, [role="combobox"]';

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.closest(TYPED) !== null)
  );
}

function isCovered(): boolean {
  return document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]') !== null;
}

function rowLinks(container: HTMLElement | null): HTMLElement[] {
  return [...(container?.querySelectorAll<HTMLElement>(`[${ROW_LINK}]`) ?? [])];
}

/** The row that has the focus, anywhere in it. */
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

/** Runs what a single key stands for, except while someone types or something lies over the list. */
export function useListKeys(keys: Keys) {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });

  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target) || isCovered()) return;
      const action = latest.current[event.key.toLowerCase()];
      if (!action) return;
      event.preventDefault();
      action(event);
    }
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
}

export function useListShortcuts(shortcuts: ListShortcuts) {
  const { enabled, container, editRow, selectRow, clearSelection } = shortcuts;
  const onRow = (run: (index: number, event: KeyboardEvent) => void) => (event: KeyboardEvent) => {
    const index = currentRow(container.current);
    if (index >= 0) run(index, event);
  };
  useListKeys({
    ...(enabled && {
      j: () => moveRow(container.current, 1),
      k: () => moveRow(container.current, -1),
      f: shortcuts.openFilters,
      '[': shortcuts.previousPage,
      ']': shortcuts.nextPage,
      ...(editRow && { e: onRow(editRow) }),
      ...(selectRow && { x: onRow((index, { shiftKey }) => selectRow(index, shiftKey)) }),
      ...(clearSelection && { escape: clearSelection }),
    }),
    // Help stays reachable, as it holds the switch that turns the other keys back on.
    '?': shortcuts.openHelp,
  });
}
