import { SIDE_PANEL } from '@/ui/side-panel';

const TYPED =
  'input:not([type="checkbox"], [type="radio"]), textarea, select, [role="combobox"]';

export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.closest(TYPED) !== null)
  );
}

/** What keeps keys from the page. A side panel is beside the page, except on narrow screens, where it covers it. */
const COVERS = `[role="dialog"]:not([${SIDE_PANEL}]), [role="alertdialog"], [role="menu"]`;
const MODAL_PANEL = `[${SIDE_PANEL}][aria-modal]`;

/** Whether something keeps keys from the page or, with `inPanel`, from the open side panel. */
export function isCovered(inPanel = false): boolean {
  return document.querySelector(inPanel ? COVERS : `${COVERS}, ${MODAL_PANEL}`) !== null;
}
