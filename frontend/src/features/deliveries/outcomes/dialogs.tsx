import { RefreshCw } from 'lucide-react';
import type { ReactNode } from 'react';
import type {
  FieldError,
  FieldValues,
  UseFormRegisterReturn,
  UseFormReturn,
} from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { AppError } from '@/data/errors';
import { SelectField } from '@/form/fields';
import { Form, FormSummary, SubmitButton } from '@/form/form';
import { Button } from '@/ui/button';
import { Dialog, DialogContent } from '@/ui/dialog';
import { Note } from '@/ui/note';
import type { Delivery, ReasonAppliesTo } from '../delivery-queries';
import { type Change, ChangedNote } from '../use-change';
import type { Reasons } from '../use-reasons';

/** Props shared by all action dialogs. */
export interface ActionProps {
  delivery: Delivery;
  onReload: () => void;
  onClose: () => void;
}

interface FormDialogProps<Values extends FieldValues> {
  title: string;
  text?: string;
  form: UseFormReturn<Values>;
  submit: string;
  busy: string;
  disabled?: boolean;
  failure: AppError | undefined;
  /** Shown above the fields when someone else has changed the delivery. */
  note?: ReactNode;
  onSubmit: (values: Values) => Promise<void>;
  onClose: () => void;
  children: ReactNode;
}

/** A short form in a dialog. A click outside does not close it, so that no input is lost. */
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

interface ChangeDialogProps<Values extends FieldValues> extends ActionProps {
  change: Change;
  reasons: Reasons;
  form: UseFormReturn<Values>;
  title: string;
  text: string;
  submit: string;
  busy: string;
  onSubmit: (values: Values) => Promise<void>;
  children: ReactNode;
}

/** A form dialog that detects changes of the delivery by others. */
export function ChangeDialog<Values extends FieldValues>(props: ChangeDialogProps<Values>) {
  const { change, delivery, reasons, onReload, children, ...dialog } = props;
  return (
    <FormDialog
      {...dialog}
      disabled={change.isGone}
      failure={change.failure}
      note={
        <ChangedNote
          change={change}
          latest={delivery}
          reasons={reasons}
          onKeep={change.rebase}
          onReload={onReload}
        />
      }
    >
      {children}
    </FormDialog>
  );
}

interface ReasonFieldProps extends UseFormRegisterReturn {
  appliesTo: ReasonAppliesTo;
  reasons: Reasons;
  error: FieldError | undefined;
}

/** Selects a reason from the catalog. */
export function ReasonField({ appliesTo, reasons, error, ...select }: ReasonFieldProps) {
  const { t } = useTranslation(['outcomes', 'common']);
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <SelectField
        {...select}
        label={t('fields.outcomeReason')}
        error={error}
        placeholder={t(reasons.isLoading ? 'reasonsLoading' : 'chooseReason')}
      >
        {reasons.active(appliesTo).map(({ code, label }) => (
          <option key={code} value={code}>
            {label}
          </option>
        ))}
      </SelectField>
      {reasons.failed && (
        <Note
          tone="bad"
          role="alert"
          action={
            <Button size={28} icon={RefreshCw} onClick={reasons.retry}>
              {t('retry', { ns: 'common' })}
            </Button>
          }
        >
          {t('reasonsFailed')}
        </Note>
      )}
    </div>
  );
}
