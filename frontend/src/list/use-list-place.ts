import { type MouseEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { useLocation, useNavigationType } from 'react-router';
import * as v from 'valibot';
import { FOCUS_RESTORED } from '@/routing/route-announcer';
import { isReturn } from './list-origin';
import { ROW_LINK } from './list-shortcuts';

/** Where a list was left: what the return to it restores. */
export interface ListPlace {
  search: string;
  scrollTop: number;
  /** The row that was opened. */
  rowId: string;
}

const storedSchema = v.object({
  search: v.string(),
  scrollTop: v.number(),
  rowId: v.string(),
  load: v.number(),
});

const keyOf = (list: string) => `waybill.list.${list}.place`;

/** Keeps where a list was left, for this tab and until the page is loaded again. */
function keepPlace(list: string, place: ListPlace): void {
  try {
    const stored = { ...place, load: performance.timeOrigin };
    sessionStorage.setItem(keyOf(list), JSON.stringify(stored));
  } catch {
    // Without storage the list begins at the top.
  }
}

/** Returns where a list was left, if it was at the same address. */
function placeOf(list: string, search: string): ListPlace | undefined {
  try {
    const stored = v.parse(storedSchema, JSON.parse(sessionStorage.getItem(keyOf(list)) ?? ''));
    return stored.load === performance.timeOrigin && stored.search === search ? stored : undefined;
  } catch {
    return undefined;
  }
}

/** Marks the row of an id, for what looks for it in the document. */
export const ROW_ID = 'data-row-id';

interface Place {
  /** The row that was opened last, to be marked. */
  markedId: string | undefined;
  /** Notes the place when a row is about to be opened. */
  keep: (rowId: string) => void;
  /** Handler of clicks in the rows: what opens one, by mouse or by Enter, is a click. */
  onClickCapture: (event: MouseEvent) => void;
}

/** Brings a list back to where it was left: scrolled as it was, the row that was opened focused and marked. */
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
    const row = current.querySelector(`[${ROW_ID}="${CSS.escape(left.rowId)}"]`);
    const link = row?.querySelector<HTMLElement>(`[${ROW_LINK}]`);
    const { activeElement } = document;
    // Someone who is already at work elsewhere on the page stays there.
    if (!link || (activeElement !== document.body && activeElement?.tagName !== 'H1')) return;
    link.setAttribute(FOCUS_RESTORED, '');
    link.focus({ preventScroll: true });
  }, [left, isReady, region]);

  function keep(rowId: string) {
    keepPlace(list, { search, scrollTop: region.current?.scrollTop ?? 0, rowId });
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
