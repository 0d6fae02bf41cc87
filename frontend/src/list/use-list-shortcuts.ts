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

export function useListShortcuts(shortcuts: ListShortcuts) {
  const latest = useRef(shortcuts);
  useEffect(() => {
    latest.current = shortcuts;
  });

  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      const { enabled, container, ...actions } = latest.current;
      const { editRow, selectRow, clearSelection } = actions;
      const onRow = (run: (index: number) => void) => () => {
        const index = currentRow(container.current);
        if (index >= 0) run(index);
      };
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target) || isCovered()) return;
      const keys: Record<string, () => void> = {
        j: () => moveRow(container.current, 1),
        k: () => moveRow(container.current, -1),
        f: actions.openFilters,
        '[': actions.previousPage,
        ']': actions.nextPage,
        ...(editRow && { e: onRow(editRow) }),
        ...(selectRow && { x: onRow((index) => selectRow(index, event.shiftKey)) }),
        ...(clearSelection && { escape: clearSelection }),
      };
      // Help stays reachable, as it holds the switch that turns the other keys back on.
      const own = enabled ? keys[event.key.toLowerCase()] : undefined;
      const action = event.key === '?' ? actions.openHelp : own;
      if (!action) return;
      event.preventDefault();
      action();
    }
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
}
