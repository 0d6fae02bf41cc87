import { useLayoutEffect } from 'react';

/** Style of an element that stays visible while the page is hidden. */
export const STAYS_VISIBLE = { visibility: 'visible' } as const;

/** Whether the page is hidden by `useHiddenPage`. */
export const isPageHidden = (): boolean => document.body.style.visibility === 'hidden';

/**
 * Hides the page, and all dialogs and messages over it, from the screen, print and screen readers while the component is
 * mounted. Fields keep their values, and lists their positions.
 */
export function useHiddenPage(): void {
  useLayoutEffect(() => {
    const { activeElement, body } = document;
    body.style.visibility = 'hidden';
    return () => {
      body.style.removeProperty('visibility');
      // Browsers take the focus from an element that is hidden. A dialog that closes keeps the focus until its own timer.
      setTimeout(() => {
        if (document.activeElement === body && activeElement instanceof HTMLElement) activeElement.focus();
      });
    };
  }, []);
}
