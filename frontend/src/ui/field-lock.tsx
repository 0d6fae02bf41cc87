import { type ReactNode, useLayoutEffect, useRef } from 'react';

interface FieldLockProps {
  isLocked: boolean;
  children: ReactNode;
}

/**
 * Keeps fields from being edited while a form is saved that closes afterwards, since the edits would be lost. Meanwhile the
 * form has the focus that its fields can't keep. If the form stays, the first invalid field gets it, or the previous one.
 */
export function FieldLock({ isLocked, children }: FieldLockProps) {
  const fields = useRef<HTMLDivElement>(null);
  const previous = useRef<Element>(null);

  useLayoutEffect(() => {
    const form = fields.current?.closest('form');
    const active = document.activeElement;
    if (!form || !active) return;
    if (isLocked) {
      previous.current = active;
      if (active !== document.body && !fields.current?.contains(active)) return;
      form.tabIndex = -1;
      form.focus({ preventScroll: true });
    } else if (previous.current) {
      const isLost = active === form || active === document.body;
      const next = form.querySelector('[aria-invalid="true"]') ?? (isLost ? previous.current : active);
      previous.current = null;
      if (next instanceof HTMLElement) next.focus();
    }
  }, [isLocked]);

  return (
    <div ref={fields} inert={isLocked} className="contents">
      {children}
    </div>
  );
}
