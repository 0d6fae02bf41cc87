import { type ReactNode, type SyntheticEvent, useEffect, useRef, useState } from 'react';
import { FieldLock } from './field-lock';

interface DialogFormProps {
  /** For the submit button, which is in the footer of the dialog. */
  id: string;
  /** Resolves when the form was saved or refused. */
  onSubmit: () => Promise<void>;
  children: ReactNode;
}

/** The form of a small dialog, which closes once it is saved. After a refused submit, the first invalid field has the focus. */
export function DialogForm({ id, onSubmit, children }: DialogFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const busy = useRef(false);
  const [submits, setSubmits] = useState(0);
  const [isBusy, setBusy] = useState(false);

  async function submit(event: SyntheticEvent) {
    event.preventDefault();
    // A second click can arrive before the busy state is rendered.
    if (busy.current) return;
    busy.current = true;
    setBusy(true);
    try {
      await onSubmit();
    } finally {
      busy.current = false;
      setBusy(false);
      setSubmits((count) => count + 1);
    }
  }

  // A submit that is refused at once can end before the lock is rendered. The lock then doesn't move the focus.
  useEffect(() => {
    if (submits > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [submits]);

  return (
    <form
      ref={form}
      id={id}
      noValidate
      aria-busy={isBusy}
      onSubmit={(event) => void submit(event)}
      className="flex flex-col gap-3"
    >
      <FieldLock isLocked={isBusy}>{children}</FieldLock>
    </form>
  );
}
