import { type ReactNode, type SyntheticEvent, useRef } from 'react';
import type { FieldValues, UseFormReturn } from 'react-hook-form';

interface FormProps<Values extends FieldValues> {
  form: UseFormReturn<Values>;
  onSubmit: (values: Values) => Promise<void>;
  label?: string;
  className?: string;
  children: ReactNode;
}

/** A form with rules of its own in place of the browser's. It is sent once at a time. */
export function Form<Values extends FieldValues>(props: FormProps<Values>) {
  const { form, onSubmit, label, className, children } = props;
  const busy = useRef(false);

  async function send(event: SyntheticEvent) {
    event.preventDefault();
    // A second press may come before the first one shows.
    if (busy.current) return;
    busy.current = true;
    try {
      await form.handleSubmit(onSubmit)(event);
    } finally {
      busy.current = false;
    }
  }

  return (
    <form
      noValidate
      aria-label={label}
      onSubmit={(event) => void send(event)}
      className={className ?? 'flex flex-col gap-4'}
    >
      {children}
    </form>
  );
}
