import { type ReactNode, useLayoutEffect, useRef } from 'react';

interface FieldLockProps {
  isLocked: boolean;
  children: ReactNode;
}

/**
 * Locks the fields of a form while it is being saved, because edits would be lost when it closes. Meanwhile, the form
 * takes the focus from a locked field. If the form stays open, the focus moves to the first invalid field, or else back to
 * where it was.
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
