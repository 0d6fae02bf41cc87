import { type ReactNode, type SyntheticEvent, useEffect, useRef, useState } from 'react';

interface DialogFormProps {
  /** For the submit button, which is in the footer of the dialog. */
  id: string;
  /** Resolves when the form was saved or refused. */
  onSubmit: () => Promise<void>;
  children: ReactNode;
}

/** The form of a small dialog. After a refused submit, the first invalid field has the focus. */
export function DialogForm({ id, onSubmit, children }: DialogFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [submits, setSubmits] = useState(0);

  async function submit(event: SyntheticEvent) {
    event.preventDefault();
    await onSubmit();
    setSubmits((count) => count + 1);
  }

  // Its errors are rendered by now.
  useEffect(() => {
    if (submits > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [submits]);

  return (
    <form ref={form} id={id} noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-3">
      {children}
    </form>
  );
}
