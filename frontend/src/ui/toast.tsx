import { CircleCheck, CircleX, LoaderCircle } from 'lucide-react';
import { resolveValue, type Toast, useToaster } from 'react-hot-toast/headless';

// This is the headless entry point, because the default one injects a style element, which the content security policy
// blocks. Each entry point has its own store, so import only this one.
export { toast } from 'react-hot-toast/headless';

const assertive = { role: 'alert', 'aria-live': 'assertive' } as const;

function ToastIcon({ type }: { type: Toast['type'] }) {
  if (type === 'error') return <CircleX aria-hidden className="size-4 shrink-0 text-bad" />;
  if (type === 'success') return <CircleCheck aria-hidden className="size-4 shrink-0 text-ok" />;
  if (type === 'loading') {
    return <LoaderCircle aria-hidden className="size-4 shrink-0 animate-spin text-muted" />;
  }
  return null;
}

/** Uses the library's durations: error 4 s, success 2 s, loading unlimited; at most 20 toasts. */
export function Toaster() {
  const { toasts, handlers } = useToaster();
  return (
    <div
      onMouseEnter={handlers.startPause}
      onMouseLeave={handlers.endPause}
      className="pointer-events-none fixed inset-x-4 top-[calc(var(--news)+8px)] z-60 flex flex-col items-center gap-2"
    >
      {toasts
        .filter((item) => item.visible)
        .map((item) => (
          <div
            key={item.id}
            {...(item.type === 'error' ? assertive : item.ariaProps)}
            className="pointer-events-auto flex max-w-[480px] animate-appear items-center gap-2.5 rounded-panel border border-line2 bg-surface px-4 py-2.5 text-sm shadow-dialog"
          >
            <ToastIcon type={item.type} />
            <span className="wrap-anywhere">{resolveValue(item.message, item)}</span>
          </div>
        ))}
    </div>
  );
}
