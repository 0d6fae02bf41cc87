import { useLayoutEffect } from 'react';

/** Style of an element that stays visible while the page is hidden. */
export const STAYS_VISIBLE = { visibility: 'visible' } as const;

/** Whether the page is hidden by `useHiddenPage`. */
export const isPageHidden = (): boolean => document.body.style.visibility === 'hidden';

/**
 * Hides the page as long as the component is mounted, and what is open over it, such as dialogs and messages, on the screen, in
 * print and for screen readers. All of it stays as it is: fields keep their values, and lists their position.
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
