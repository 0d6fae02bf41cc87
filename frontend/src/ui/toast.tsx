import { CircleCheck, CircleX, LoaderCircle } from 'lucide-react';
import { useEffect, useRef } from 'react';
// This is the headless entry point, because the default one injects a style element, which the content security policy
// blocks. Each entry point has its own store, so import only this one.
import { resolveValue, toast as show, type Toast, useToaster } from 'react-hot-toast/headless';

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

/** Stops the time of all toasts while the pointer is over one or the focus is in one. */
function usePause({ startPause, endPause }: ReturnType<typeof useToaster>['handlers']) {
  const ref = useRef<HTMLDivElement>(null);
  const isPaused = useRef<boolean>(undefined);
  function update() {
    const isHeld = ref.current?.matches(':hover') || ref.current?.contains(document.activeElement);
    if (isHeld === isPaused.current) return;
    isPaused.current = isHeld;
    if (isHeld) startPause();
    else endPause();
  }
  // No event follows when a toast is replaced or removed while it has the focus.
  useEffect(update);
  return { ref, onMouseEnter: update, onMouseLeave: update, onFocus: update, onBlur: update };
}

/** Uses the library's durations: error 4 s, success 2 s, loading unlimited; at most 20 toasts. */
export function Toaster() {
  const { toasts, handlers } = useToaster();
  return (
    // Screen readers announce what is added to a live region, but not a region that is added with its text. Dialogs hide
    // the rest of the page from them, except live regions.
    <div
      aria-live="polite"
      {...usePause(handlers)}
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
