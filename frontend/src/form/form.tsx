import { RotateCw } from 'lucide-react';
import { createContext, type ReactNode, type SyntheticEvent, use, useEffect, useRef, useState } from 'react';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { type AppError, FORM_ERROR, UNKNOWN_ERROR } from '@/data/errors';
import { focusUnsettled } from '@/list/unsettled-text';
import { Button, type ButtonProps } from '@/ui/button';
import { FieldLock } from '@/ui/field-lock';
import { Note } from '@/ui/note';
import type { FieldMessage } from './rule-message';

/** Whether the form around is being saved. */
const SavingContext = createContext(false);

interface FormProps<Values extends FieldValues> {
  form: UseFormReturn<Values>;
  onSubmit: (values: Values) => Promise<void>;
  label?: string;
  /** For a submit button outside of the form. */
  id?: string;
  className?: string;
  children: ReactNode;
}

/**
 * A form with the app's validation instead of the browser's. Ignores a submit while one is in flight, or while a picker has
 * text that is not a choice.
 */
export function Form<Values extends FieldValues>(props: FormProps<Values>) {
  const { form, onSubmit, label, id, className, children } = props;
  const busy = useRef(false);
  const [isSaving, setSaving] = useState(false);

  async function send(event: SyntheticEvent<HTMLElement>) {
    const { currentTarget } = event;
    event.preventDefault();
    // A second click can arrive before the busy state is rendered.
    if (busy.current) return;
    busy.current = true;
    try {
      await form.handleSubmit(async (values) => {
        if (focusUnsettled(currentTarget)) return;
        setSaving(true);
        await onSubmit(values);
      })(event);
    } finally {
      busy.current = false;
      setSaving(false);
    }
  }

  return (
    <form
      noValidate
      aria-label={label}
      aria-busy={isSaving}
      id={id}
      onSubmit={(event) => void send(event)}
      className={className ?? 'flex flex-col gap-4'}
    >
      <SavingContext value={isSaving}>{children}</SavingContext>
    </form>
  );
}

/**
 * The fields of a form that is left or closed once it is saved. They can't be edited while it is being saved. Summary,
 * notes and buttons belong outside.
 */
export function FormFields({ children }: { children: ReactNode }) {
  return <FieldLock isLocked={use(SavingContext)}>{children}</FieldLock>;
}

interface FormSummaryProps {
  /** The error from the server. Takes the focus unless an invalid field has it. */
  failure: AppError | undefined;
  /** Validation errors of the form; the first invalid field has the focus. */
  messages?: readonly FieldMessage[];
  /** Focuses a field by name. If given, messages become links to their fields. */
  setFocus?: (name: never) => void;
  /** Sends the request again, where there is no form around. By default, Retry submits the form, like its own button. */
  onRetry?: () => void;
  /** Says what is known after no answer arrived; by default, that the form may have been saved. */
  unanswered?: string;
}

/** Lists, above a form, why it was not saved. */
export function FormSummary({ failure, messages = [], setFocus, onRetry, unanswered }: FormSummaryProps) {
  const { t } = useTranslation(['form', 'common']);
  const box = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (!failure || document.activeElement?.matches('[aria-invalid="true"]')) return;
    box.current?.focus();
  }, [failure]);

  const isInput = failure ? failure.kind === 'input' : messages.length > 0;
  if (!failure && !isInput) return null;
  return (
    <Note
      ref={box}
      // After a rate limit, sending the form again may be enough, so it is shown as a warning.
      tone={failure?.code === 'RATE_LIMITED' ? 'warn' : 'bad'}
      role="alert"
      title={failure && !isInput ? failure.message : UNKNOWN_ERROR}
      {...(failure?.kind === 'network' && {
        action: (
          <Button type={onRetry ? 'button' : 'submit'} size={28} icon={RotateCw} onClick={onRetry}>
            {t('retry', { ns: 'common' })}
          </Button>
        ),
      })}
    >
      {failure?.kind === 'network' && <p>{unanswered ?? t('unanswered')}</p>}
      {isInput && (
        <>
          <p>{FORM_ERROR}</p>
          <ul className="mt-1 list-disc ps-4">
            {(failure ? refusals(failure) : messages).map(({ name, text }) => (
              <li key={`${name} ${text}`}>
                {name !== undefined && setFocus ? (
                  <button
                    type="button"
                    className="min-h-6 text-start underline underline-offset-2"
                    onClick={() => setFocus(name as never)}
                  >
                    {text}
                  </button>
                ) : (
                  text
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </Note>
  );
}

/** Returns the server's messages by field, or its general message when it names no field. */
function refusals({ fields, detail }: AppError): FieldMessage[] {
  const ofFields = Object.entries(fields).flatMap(([name, texts]) =>
    texts.map((text) => ({ name, text })),
  );
  if (ofFields.length > 0) return ofFields;
  return detail ? [{ name: undefined, text: detail }] : [];
}

interface SubmitButtonProps extends Pick<ButtonProps, 'size' | 'className' | 'icon' | 'disabled'> {
  busy: boolean;
  label: string;
  busyLabel: string;
}

export function SubmitButton({ busy, label, busyLabel, disabled = false, ...look }: SubmitButtonProps) {
  return (
    <Button type="submit" variant="primary" disabled={busy || disabled} {...look}>
      {busy ? busyLabel : label}
    </Button>
  );
}
