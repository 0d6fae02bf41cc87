import { useEffect, useRef, type RefObject } from 'react';

export interface ListShortcuts {
  enabled: boolean;
  container: RefObject<HTMLElement | null>;
  openFilters: () => void;
  openHelp: () => void;
  previousPage: () => void;
  nextPage: () => void;
}

/** Marks the link of a row that j and k walk over; Enter then opens it as on any link. */
export const ROW_LINK = 'data-row-link';

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.closest('input, textarea, select, [role="combobox"]') !== null)
  );
}

function isCovered(): boolean {
  return document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]') !== null;
}

function moveRow(container: HTMLElement | null, step: 1 | -1) {
  const links = [...(container?.querySelectorAll<HTMLElement>(`[${ROW_LINK}]`) ?? [])];
  const current = links.indexOf(document.activeElement as HTMLElement);
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
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target) || isCovered()) return;
      const keys: Record<string, () => void> = {
        j: () => moveRow(container.current, 1),
        k: () => moveRow(container.current, -1),
        f: actions.openFilters,
        '[': actions.previousPage,
        ']': actions.nextPage,
      };
      // Help stays reachable, as it holds the switch that turns the other keys back on.
      const action = event.key === '?' ? actions.openHelp : enabled ? keys[event.key] : undefined;
      if (!action) return;
      event.preventDefault();
      action();
    }
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
}
