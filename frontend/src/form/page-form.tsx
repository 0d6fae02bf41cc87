import { RefreshCw } from 'lucide-react';
import { type ReactNode, useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useBlocker } from 'react-router';
import type { AppError } from '@/data/errors';
import { useTimeZone } from '@/data/use-time-zone';
import { formatDateTime } from '@/lib/dates';
import { RecordLink } from '@/list/record-link';
import { Button } from '@/ui/button';
import { cn } from '@/ui/cn';
import { Note } from '@/ui/note';
import { Panel } from '@/ui/panel';
import { useUnloadWarning } from '@/ui/use-unload-warning';
import { Form, FormFields, FormSummary, SubmitButton } from './form';
import { LeaveDialog } from './leave-dialog';
import { ruleMessages } from './rule-message';
import { guardUnsaved } from './unsaved';
import { useConfirm } from './use-confirm';
import type { Exit } from './use-leave';
import type { Conflict } from './use-save';

interface ConflictNoteProps {
  conflict: Conflict;
  /** Reloads the record and resets the form to it. */
  onReload: () => void;
}

/** Reports an edit conflict: who changed the record, and how to continue. */
export function ConflictNote({ conflict, onReload }: ConflictNoteProps) {
  const { by, isOwn } = conflict;
  const { t } = useTranslation('form');
  const timeZone = useTimeZone();
  const box = useRef<HTMLDivElement>(null);

  useEffect(() => {
    box.current?.focus();
  }, [conflict]);

  return (
    <Note
      ref={box}
      tone="warn"
      role="alert"
      title={t(isOwn ? 'conflict.own' : 'conflict.title', { by, at: formatDateTime(conflict.at, timeZone) })}
    >
      <p>{t(isOwn ? 'conflict.ownText' : 'conflict.text')}</p>
      <Button size={28} icon={RefreshCw} className="mt-2" onClick={onReload}>
        {t('conflict.reload')}
      </Button>
    </Note>
  );
}

interface PageFormProps<Values extends FieldValues> {
  form: UseFormReturn<Values>;
  /** Field labels, for error messages. */
  labels: Partial<Record<keyof Values & string, string>>;
  failure: AppError | undefined;
  /** Submit label of a create form. Without it, the form edits a record and saves only changes. */
  create?: { label: string; busyLabel: string };
  /** Set after a version conflict. */
  conflict?: Conflict | undefined;
  exit: Exit;
  /** Reloads the record and resets the form to it. */
  onReload?: () => void;
  onSubmit: (values: Values) => Promise<void>;
  /** The address that Cancel leads to. */
  cancelTo: string;
  className: string;
  children: ReactNode;
}

/** A form that fills a page and leaves it once it is saved: error summary, fields, and buttons to save or cancel. */
export function PageForm<Values extends FieldValues>(props: PageFormProps<Values>) {
  const { form, labels, failure, create, conflict, exit, onReload, onSubmit, cancelTo, className, children } = props;
  const { t } = useTranslation(['form', 'common']);
  const { errors, isDirty, isSubmitting } = form.formState;
  return (
    <Form form={form} onSubmit={onSubmit} className={cn('flex flex-col gap-4', className)}>
      <UnsavedGuard when={isDirty} isSaving={isSubmitting} exit={exit} />
      {conflict && (
        <ConflictNote
          conflict={conflict}
          onReload={() => {
            form.reset();
            onReload?.();
          }}
        />
      )}
      <FormSummary
        failure={failure}
        messages={ruleMessages(labels, errors)}
        setFocus={form.setFocus}
      />
      <Panel className="flex flex-col gap-4 p-4">
        <FormFields>{children}</FormFields>
        <div className="flex gap-2 border-t border-line pt-4">
          <SubmitButton
            busy={isSubmitting}
            disabled={!create && !isDirty}
            size={36}
            label={create?.label ?? t('save', { ns: 'common' })}
            busyLabel={create?.busyLabel ?? t('saving')}
          />
          <Button asChild size={36}>
            <RecordLink to={cancelTo}>{t('cancel', { ns: 'common' })}</RecordLink>
          </Button>
        </div>
      </Panel>
    </Form>
  );
}

interface UnsavedGuardProps {
  /** Whether there are changes, including those that are being saved: saving may fail. */
  when: boolean;
  /** Whether the changes are being saved. */
  isSaving: boolean;
  /** From `useLeave`, if the page is left after saving. */
  exit?: Exit;
  /** Whether the changes outlive a change of the query, such as another filter. */
  ignoreQuery?: boolean;
}

/** Asks for confirmation before leaving or signing out with unsaved changes. */
export function UnsavedGuard({ when, isSaving, exit, ignoreQuery = false }: UnsavedGuardProps) {
  const { t } = useTranslation('form');
  // The forms of one page may differ by their query only, such as the outcomes of a delivery.
  const blocker = useBlocker(
    ({ currentLocation: { pathname, search }, nextLocation: next }) =>
      when && !exit?.isSaved() && (pathname !== next.pathname || (!ignoreQuery && search !== next.search)),
  );
  const { isOpen, confirm, answer } = useConfirm();

  useUnloadWarning(when);
  useEffect(() => (when ? guardUnsaved(confirm) : undefined), [when, confirm]);

  function decide(isLeaving: boolean) {
    answer(isLeaving);
    if (isLeaving) blocker.proceed?.();
    else blocker.reset?.();
  }

  const isAsking = blocker.state === 'blocked' || isOpen;
  const proceed = useEffectEvent(() => decide(true));
  useLayoutEffect(() => {
    if (!isAsking) return undefined;
    // The changes were saved while the question was open, and the form stays.
    if (!when) proceed();
    return exit?.whileAsking(() => proceed());
  }, [isAsking, when, exit]);

  if (!isAsking) return null;

  return (
    <LeaveDialog
      title={t(isSaving ? 'unsaved.savingTitle' : 'unsaved.title')}
      text={t(isSaving ? 'unsaved.savingText' : 'unsaved.text')}
      onAnswer={decide}
    />
  );
}
