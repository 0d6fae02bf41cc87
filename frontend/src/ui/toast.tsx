import { CircleCheck, CircleX, LoaderCircle } from 'lucide-react';
import { type FocusEvent, type KeyboardEvent, type RefObject, useEffect, useEffectEvent, useRef } from 'react';
import { useTranslation } from 'react-i18next';
// This is the headless entry point, because the default one injects a style element, which the content security policy
// blocks. Each entry point has its own store, so import only this one.
import { resolveValue, toast as show, type Toast, useToaster } from 'react-hot-toast/headless';
import { Button } from './button';
import { isPageHidden } from './hidden-page';
import { Kbd } from './tag';
import { pageHeading, useFocusFallback } from './use-focus-fallback';

/** Attribute of the element that shows the toasts. */
export const TOASTER = 'data-toaster';

/** Moves the focus to the button of a toast, and back. Unlike F6, no browser uses it to move between its own bars. */
export const TOAST_KEY = 'F8';

/** Milliseconds that a toast with a button is shown. */
const ACTION_MS = 10_000;

interface ToastAction {
  /** A later toast with the same ID replaces this one. */
  id: string;
  label: string;
  run: () => void;
}

function ActionMessage({ text, label, run }: { text: string } & Omit<ToastAction, 'id'>) {
  const { t } = useTranslation('common');
  return (
    <section aria-label={t('toast.label')} className="flex items-center gap-3">
      <span>{text}</span>
      <Button size={28} aria-keyshortcuts={TOAST_KEY} onClick={run}>
        {label}
        <span aria-hidden className="max-md:hidden">
          <Kbd>{TOAST_KEY}</Kbd>
        </span>
      </Button>
      <span className="sr-only">{t('toast.reach', { key: TOAST_KEY })}</span>
    </section>
  );
}

/** Shows a message with a button, such as Undo, for ten seconds. */
function withAction(text: string, { id, label, run }: ToastAction): string {
  return show(<ActionMessage {...{ text, label, run }} />, { id, duration: ACTION_MS });
}

/**
 * Gives a toast that replaces another the duration of its own type unless one is given; otherwise it would inherit the
 * other's. The library takes 0 for the duration of the type.
 */
const timed =
  (own: typeof show.error): typeof show.error =>
  (message, options) =>
    own(message, { duration: 0, ...options });

export const toast = Object.assign(timed(show), show, {
  error: timed(show.error),
  success: timed(show.success),
  loading: timed(show.loading),
  withAction,
});

const assertive = { role: 'alert', 'aria-live': 'assertive' } as const;

function ToastIcon({ type }: { type: Toast['type'] }) {
  if (type === 'error') return <CircleX aria-hidden className="size-4 shrink-0 text-bad" />;
  if (type === 'success') return <CircleCheck aria-hidden className="size-4 shrink-0 text-ok" />;
  if (type === 'loading') {
    return <LoaderCircle aria-hidden className="size-4 shrink-0 animate-spin text-muted" />;
  }
  return null;
}

/** Whether a dialog is open that keeps the focus. All of them lay `DialogOverlay` over the page. */
const isModalOpen = () => document.querySelector('[data-scroll-lock]') !== null;

/**
 * Stops the time of all toasts while the pointer is over one or the focus is in one, while a modal dialog keeps the user from
 * the button of one, and while the page is hidden.
 */
function usePause(ref: RefObject<HTMLDivElement | null>, handlers: ReturnType<typeof useToaster>['handlers']) {
  const { startPause, endPause } = handlers;
  const isPaused = useRef<boolean>(undefined);
  function update() {
    const isHeld =
      ref.current?.matches(':hover') ||
      ref.current?.contains(document.activeElement) ||
      isPageHidden() ||
      (isModalOpen() && ref.current?.querySelector('button') !== null);
    if (isHeld === isPaused.current) return;
    isPaused.current = isHeld;
    if (isHeld) startPause();
    else endPause();
  }
  // No event follows when a toast is replaced or removed while it has the focus.
  useEffect(update);
  const onDialogs = useEffectEvent(update);
  useEffect(() => {
    // Dialogs are children of the body, whose style hides the page.
    const observer = new MutationObserver(() => onDialogs());
    observer.observe(document.body, { childList: true, attributeFilter: ['style'] });
    return () => observer.disconnect();
  }, []);
  return update;
}

/** Lets a key move the focus to the newest toast with a button, and back to where it was. */
function useToastKey(ref: RefObject<HTMLDivElement | null>) {
  const before = useRef<EventTarget>(null);
  function origin(): HTMLElement | null {
    const { current } = before;
    return current instanceof HTMLElement && current.isConnected ? current : pageHeading();
  }
  const leave = () => origin()?.focus({ preventScroll: true });
  useFocusFallback(origin, ref);

  useEffect(() => {
    function onKeyDown(event: globalThis.KeyboardEvent) {
      const button = ref.current?.querySelector('button');
      if (event.key !== TOAST_KEY || !button || isModalOpen()) return;
      event.preventDefault();
      if (ref.current?.contains(document.activeElement)) leave();
      else button.focus();
    }
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [ref]);

  return {
    onFocus({ relatedTarget, currentTarget }: FocusEvent) {
      if (!currentTarget.contains(relatedTarget)) before.current = relatedTarget;
    },
    onKeyDown(event: KeyboardEvent) {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      leave();
    },
  };
}

/** Uses the library's durations: error 4 s, success 2 s, loading unlimited; at most 20 toasts. */
export function Toaster() {
  const { toasts, handlers } = useToaster();
  const ref = useRef<HTMLDivElement>(null);
  const update = usePause(ref, handlers);
  const keys = useToastKey(ref);
  return (
    // Screen readers announce what is added to a live region, but not a region that is added with its text. Dialogs hide
    // the rest of the page from them, except live regions.
    // The handlers serve the toasts, whose buttons are interactive by themselves.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div
      ref={ref}
      {...{ [TOASTER]: '' }}
      aria-live="polite"
      onMouseEnter={update}
      onMouseLeave={update}
      onFocus={(event) => {
        keys.onFocus(event);
        update();
      }}
      onBlur={update}
      onKeyDown={keys.onKeyDown}
      className="pointer-events-none fixed inset-x-4 top-[calc(var(--news)+8px)] z-60 flex flex-col items-center gap-2"
    >
      {toasts
        .filter((item) => item.visible)
        .map((item) => (
          <div
            key={item.id}
            {...(item.type === 'error' && assertive)}
            className="pointer-events-auto flex max-w-[480px] animate-appear items-center gap-2.5 rounded-panel border border-line2 bg-surface px-4 py-2.5 text-sm shadow-dialog"
          >
            <ToastIcon type={item.type} />
            <span className="wrap-anywhere">{resolveValue(item.message, item)}</span>
          </div>
        ))}
    </div>
  );
}
