import type { ReactNode } from 'react';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { AppError } from '@/data/errors';
import { Button } from '@/ui/button';
import { Dialog, DialogContent } from '@/ui/dialog';
import { Form, FormFields, FormSummary, SubmitButton } from './form';
import { ruleMessages } from './rule-message';

interface FormDialogProps<Values extends FieldValues> {
  title: string;
  text?: string;
  width?: 560 | 640;
  form: UseFormReturn<Values>;
  /** Field labels. If given, the summary lists the invalid fields. */
  labels?: Partial<Record<keyof Values & string, string>>;
  submit: string;
  busy: string;
  disabled?: boolean;
  failure: AppError | undefined;
  /** Shown above the fields when someone else has changed the record. */
  note?: ReactNode;
  onSubmit: (values: Values) => Promise<void>;
  onClose: () => void;
  children: ReactNode;
  /** File fields, shown below the others. They are not locked while the form is being saved, to show their progress. */
  files?: ReactNode;
}

/**
 * A form in a dialog that closes once it is saved. A click outside does not close it, and while it is being saved nothing
 * does, because the response would close whichever dialog is open then.
 */
export function FormDialog<Values extends FieldValues>(props: FormDialogProps<Values>) {
  const { title, text, width = 560, form, labels, submit, busy, disabled, failure, note, onSubmit, onClose } = props;
  const { t } = useTranslation('common');
  const { errors, isSubmitting } = form.formState;
  return (
    <Dialog open onOpenChange={() => !isSubmitting && onClose()}>
      <DialogContent
        staysOpen
        width={width}
        title={title}
        {...(text !== undefined && { description: text })}
      >
        <Form form={form} onSubmit={onSubmit}>
          {note}
          <FormSummary
            failure={failure}
            {...(labels && { messages: ruleMessages(labels, errors), setFocus: form.setFocus })}
          />
          <FormFields>{props.children}</FormFields>
          {props.files}
          <div className="flex flex-wrap justify-end gap-2 pb-3">
            <Button disabled={isSubmitting} onClick={onClose}>
              {t('cancel')}
            </Button>
            <SubmitButton
              busy={isSubmitting}
              disabled={disabled}
              label={submit}
              busyLabel={busy}
            />
          </div>
        </Form>
      </DialogContent>
    </Dialog>
  );
}
