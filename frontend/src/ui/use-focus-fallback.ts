import { type RefObject, useEffectEvent, useLayoutEffect, useRef } from 'react';

/** Returns the heading of the page, made focusable. */
export function pageHeading(): HTMLElement | null {
  const heading = document.querySelector('h1');
  if (heading) heading.tabIndex = -1;
  return heading;
}

/** Focuses the heading of the page without scrolling to it. */
export function focusHeading(): void {
  pageHeading()?.focus({ preventScroll: true });
}

const ROW = 'tr, li';

/** Returns the other rows of the list or table that an element is in: those after it, then those before it. */
export function otherRows(element: Element): Element[] {
  const row = element.closest(ROW);
  const rows = [...(row?.parentElement?.children ?? [])];
  const at = rows.findIndex((other) => other === row);
  return [...rows.slice(at + 1), ...rows.slice(0, Math.max(0, at)).toReversed()];
}

/** Returns the first link or button of the first of these rows that is still there. */
export function controlOfRow(rows: readonly Element[]): HTMLElement | null {
  const left = rows.find((row) => row.isConnected && row.matches(ROW));
  return left?.querySelector<HTMLElement>('a[href], button:enabled') ?? null;
}

const CONTROL = ':is(button, input:not([hidden]), select, textarea):enabled, a[href]';

/** Returns the first control that can take the focus. */
export function firstControl(container: Element | null | undefined): HTMLElement | null {
  return container?.querySelector<HTMLElement>(CONTROL) ?? null;
}

/** The containers on the screen that have a fallback. */
const containers = new Set<Element>();

/**
 * Restores the focus when the focused control is removed from a container: focuses what `fallback` returns, without
 * scrolling. If it returns nothing, for example because a part is still loading, it is called again at the next change.
 * When containers are nested, the innermost one that remains acts. If the container already has a ref, pass it.
 */
export function useFocusFallback<E extends HTMLElement>(
  fallback: (container: E, otherRows: readonly Element[]) => HTMLElement | null | undefined,
  given?: RefObject<E | null>,
): RefObject<E | null> {
  const own = useRef<E>(null);
  const ref = given ?? own;
  const find = useEffectEvent(fallback);

  // A layout effect, because a key can remove the focused control as soon as it is shown.
  useLayoutEffect(() => {
    const container = ref.current;
    if (!container) return undefined;
    let focused: Element | undefined;
    let rows: readonly Element[] = [];
    let inner: readonly Element[] = [];

    function note(element: Element | null) {
      focused = element && container?.contains(element) ? element : undefined;
      rows = focused ? otherRows(focused) : [];
      inner = [...containers].filter((other) => other !== container && other.contains(focused ?? null) && container?.contains(other));
    }
    // When its element is removed, some browsers report that the focus leaves, too. Those reports come too early to see
    // the difference, so look once the change is complete.
    const onFocusOut = () =>
      queueMicrotask(() => {
        if (focused?.isConnected) note(document.activeElement);
      });
    const onFocusIn = ({ target }: FocusEvent) => note(target instanceof Element ? target : null);
    const observer = new MutationObserver(() => {
      if (!focused) return;
      // Rows may have come and gone around it.
      if (container.contains(focused)) note(focused);
      else if (document.activeElement !== document.body) focused = undefined;
      else if (inner.some((other) => container.contains(other))) return;
      else find(container, rows)?.focus({ preventScroll: true });
    });
    containers.add(container);
    note(document.activeElement);
    container.addEventListener('focusin', onFocusIn);
    container.addEventListener('focusout', onFocusOut);
    observer.observe(container, { childList: true, subtree: true });
    return () => {
      containers.delete(container);
      observer.disconnect();
      container.removeEventListener('focusin', onFocusIn);
      container.removeEventListener('focusout', onFocusOut);
    };
  }, [ref]);

  return ref;
}
