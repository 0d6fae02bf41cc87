import { type MouseEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { useLocation, useNavigationType } from 'react-router';
import * as v from 'valibot';
import { listPlaceKey } from '@/lib/personal-storage';
import { FOCUS_RESTORED } from '@/routing/route-announcer';
import { isReturn } from './list-origin';
import { ROW_LINK } from './list-shortcuts';

/** The position to restore when returning to a list. */
export interface ListPlace {
  search: string;
  /** The scroll offset of the list's region. */
  scrollTop: number;
  /** The scroll offset of the page, which scrolls instead of the list on narrow screens. */
  pageTop: number;
  /** The row that was opened. */
  rowId: string;
}

const storedSchema = v.object({
  search: v.string(),
  scrollTop: v.number(),
  pageTop: v.number(),
  rowId: v.string(),
  load: v.number(),
});

/** Remembers the position in a list until the tab is reloaded. */
function keepPlace(list: string, place: ListPlace): void {
  try {
    const stored = { ...place, load: performance.timeOrigin };
    sessionStorage.setItem(listPlaceKey(list), JSON.stringify(stored));
  } catch {
    // Without storage, the list starts at the top.
  }
}

/** Returns the stored position in a list, if the list had the same URL query then. */
function placeOf(list: string, search: string): ListPlace | undefined {
  try {
    const stored = v.parse(storedSchema, JSON.parse(sessionStorage.getItem(listPlaceKey(list)) ?? ''));
    return stored.load === performance.timeOrigin && stored.search === search ? stored : undefined;
  } catch {
    return undefined;
  }
}

/** Attribute with the row's ID, on the element of each row. */
export const ROW_ID = 'data-row-id';

interface Place {
  /** The row that was opened last. */
  markedId: string | undefined;
  /** Saves the position before a row is opened. */
  keep: (rowId: string) => void;
  /** Saves the position when the user clicks in a row. Enter on a link also triggers a click. */
  onClickCapture: (event: MouseEvent) => void;
}

/** Restores the position of a list: scroll offset, with the opened row focused and marked. */
export function useListPlace(
  list: string,
  region: RefObject<HTMLElement | null>,
  isReady: boolean,
): Place {
  const { search, state } = useLocation();
  const isBack = useNavigationType() === 'POP' || isReturn(state);
  const [left] = useState(() => (isBack ? placeOf(list, search) : undefined));
  const isRestored = useRef(false);

  useEffect(() => {
    const { current } = region;
    if (!left || !isReady || !current || isRestored.current) return;
    isRestored.current = true;
    current.scrollTo?.({ top: left.scrollTop });
    window.scrollTo({ top: left.pageTop });
    const row = current.querySelector(`[${ROW_ID}="${CSS.escape(left.rowId)}"]`);
    const link = row?.querySelector<HTMLElement>(`[${ROW_LINK}]`);
    const { activeElement } = document;
    // Do not move the focus if the user is already elsewhere on the page.
    if (!link || (activeElement !== document.body && activeElement?.tagName !== 'H1')) return;
    link.setAttribute(FOCUS_RESTORED, '');
    link.focus({ preventScroll: true });
    // Since the position was saved, the screen may have been rotated, or the row may have moved.
    link.scrollIntoView({ block: 'nearest' });
  }, [left, isReady, region]);

  function keep(rowId: string) {
    const scrollTop = region.current?.scrollTop ?? 0;
    keepPlace(list, { search, scrollTop, pageTop: window.scrollY, rowId });
  }

  return {
    markedId: left?.search === search ? left.rowId : undefined,
    keep,
    onClickCapture: ({ target }) => {
      const row = target instanceof Element ? target.closest(`[${ROW_ID}]`) : null;
      const rowId = row?.getAttribute(ROW_ID);
      if (rowId) keep(rowId);
    },
  };
}
