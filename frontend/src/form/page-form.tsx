import type { ReactNode } from 'react';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { AppError } from '@/data/errors';
import { Button } from '@/ui/button';
import { cn } from '@/ui/cn';
import { Panel } from '@/ui/panel';
import { ConflictNote } from './conflict-note';
import { Form } from './form';
import { FormSummary } from './form-summary';
import { ruleMessages } from './rule-message';
import { SubmitButton } from './submit-button';
import { UnsavedGuard } from './unsaved-guard';
import type { Conflict } from './use-conflict';

interface PageFormProps<Values extends FieldValues> {
  form: UseFormReturn<Values>;
  /** Of the fields, for what their rules refuse. */
  labels: Partial<Record<keyof Values & string, string>>;
  failure: AppError | undefined;
  /** Of the button that makes something new. Without them a record is edited: only changes are saved. */
  create?: { label: string; busyLabel: string };
  /** What somebody else saved meanwhile. */
  conflict?: Conflict | undefined;
  /** Starts over from the record as it is now. */
  onReload?: () => void;
  onSubmit: (values: Values) => Promise<void>;
  /** Address of where one came from. */
  cancelTo: string;
  className: string;
  children: ReactNode;
}

/** A form that is all of a page: what went wrong, the fields, and how to save or leave. */
export function PageForm<Values extends FieldValues>(props: PageFormProps<Values>) {
  const { form, labels, failure, create, conflict, onReload, onSubmit, cancelTo, className, children } = props;
  const { t } = useTranslation(['form', 'common']);
  const { errors, isDirty, isSubmitting } = form.formState;
  return (
    <Form form={form} onSubmit={onSubmit} className={cn('flex flex-col gap-4', className)}>
      <UnsavedGuard when={isDirty && !isSubmitting} />
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
        {children}
        <div className="flex gap-2 border-t border-line pt-4">
          <SubmitButton
            busy={isSubmitting}
            disabled={!create && !isDirty}
            size={36}
            label={create?.label ?? t('save', { ns: 'common' })}
            busyLabel={create?.busyLabel ?? t('saving')}
          />
          <Button asChild size={36}>
            <Link to={cancelTo}>{t('cancel', { ns: 'common' })}</Link>
          </Button>
        </div>
      </Panel>
    </Form>
  );
}
