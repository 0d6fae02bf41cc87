import { useLayoutEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { focusHeading } from '@/ui/use-focus-fallback';

/** Attribute of an element that was focused on purpose when the user returned to its page. */
export const FOCUS_RESTORED = 'data-focus-restored';

// A redirect changes the path twice in quick succession; only the final page is announced.
const SETTLE_MS = 60;

function announcement(pathname: string): string {
  const texts = [
    document.querySelector('[data-redwood-route-announcement]')?.textContent,
    document.querySelector('h1')?.textContent,
    document.title,
  ];
  return texts.find((text) => text?.trim())?.trim() ?? `new page at ${pathname}`;
}

function markedTarget(): HTMLElement | null {
  return document.querySelector<HTMLElement>(
    '[data-redwood-route-focus] :is(input, button, select, textarea, a[href], [tabindex])',
  );
}

/** Announces and focuses the new page when the path changes. Ignores changes of the query. */
export function RouteAnnouncer() {
  const { pathname } = useLocation();
  const [text, setText] = useState('');
  const first = useRef(pathname);

  // A layout effect, so that even a key pressed as soon as the page is shown counts as an act of the user.
  useLayoutEffect(() => {
    if (window.self !== window.top) return;
    const initial = first.current === pathname;
    first.current = '';
    // Keep the focus if the user has already moved it into the new page.
    const acted = new AbortController();
    const watch = { capture: true, signal: acted.signal };
    for (const act of ['pointerdown', 'keydown']) {
      window.addEventListener(act, () => acted.abort(), watch);
    }
    const enter = ({ target }: FocusEvent) => {
      if (target instanceof Element && target.matches('input, textarea, select')) acted.abort();
    };
    window.addEventListener('focusin', enter, watch);
    const timer = setTimeout(() => {
      if (!acted.signal.aborted) {
        const target = markedTarget();
        const isRestored = document.activeElement?.hasAttribute(FOCUS_RESTORED);
        if (target) target.focus({ preventScroll: true });
        else if (!initial && !isRestored) focusHeading();
      }
      if (!initial) setText(announcement(pathname));
      acted.abort();
    }, SETTLE_MS);
    return () => {
      clearTimeout(timer);
      acted.abort();
    };
  }, [pathname]);

  return (
    <div
      id="redwood-announcer"
      role="alert"
      aria-live="assertive"
      aria-atomic="true"
      className="sr-only"
    >
      {text}
    </div>
  );
}
