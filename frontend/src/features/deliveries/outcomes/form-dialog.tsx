import type { ReactNode } from 'react';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { AppError } from '@/data/errors';
import { Form, FormSummary, SubmitButton } from '@/form/form';
import { Button } from '@/ui/button';
import { Dialog, DialogContent } from '@/ui/dialog';

interface FormDialogProps<Values extends FieldValues> {
  title: string;
  text?: string;
  form: UseFormReturn<Values>;
  submit: string;
  busy: string;
  disabled?: boolean;
  failure: AppError | undefined;
  /** Above the fields: what somebody else changed. */
  note?: ReactNode;
  onSubmit: (values: Values) => Promise<void>;
  onClose: () => void;
  children: ReactNode;
}

/** A short form in a dialog. A click beside it does not throw away what was typed. */
export function FormDialog<Values extends FieldValues>(props: FormDialogProps<Values>) {
  const { title, text, form, submit, busy, disabled, failure, note, onSubmit, onClose } = props;
  const { t } = useTranslation('common');
  const { isSubmitting } = form.formState;
  return (
    <Dialog open onOpenChange={() => !isSubmitting && onClose()}>
      <DialogContent
        staysOpen
        width={560}
        title={title}
        {...(text !== undefined && { description: text })}
      >
        <Form form={form} onSubmit={onSubmit}>
          {note}
          <FormSummary failure={failure} />
          {props.children}
          <div className="flex flex-wrap justify-end gap-2 pb-3">
            <Button aria-disabled={isSubmitting || undefined} onClick={() => !isSubmitting && onClose()}>
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
