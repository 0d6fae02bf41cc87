import { useRef } from 'react';

/** The item of a menu is gone once it was chosen; the button of the menu stays. */
function whatStays(element: Element | null): Element | null {
  const menu = element?.closest('[role="menu"]');
  return menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : element;
}

/**
 * Gives the focus back to what opened a dialog. The primitive does so only for a trigger of its own;
 * a dialog that opens by state would leave the focus nowhere. To be spread on the dialog's content.
 */
export function useFocusReturn() {
  const opener = useRef<Element | null>(null);
  return {
    onOpenAutoFocus() {
      opener.current = whatStays(document.activeElement);
    },
    onCloseAutoFocus(event: Event) {
      event.preventDefault();
      // What closed the dialog may have moved the focus on, to the heading of another page.
      const isLost = document.activeElement === document.body;
      if (isLost && opener.current instanceof HTMLElement) opener.current.focus();
    },
  };
}
