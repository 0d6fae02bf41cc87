import { RefreshCw } from 'lucide-react';
import type { ReactNode } from 'react';
import type {
  FieldError,
  FieldValues,
  UseFormRegisterReturn,
  UseFormReturn,
} from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { SelectField } from '@/form/fields';
import { FormDialog } from '@/form/form-dialog';
import { Button } from '@/ui/button';
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
  files?: ReactNode;
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
  /** Code of the selected reason. */
  selected: string | undefined;
  reasons: Reasons;
  error: FieldError | undefined;
}

/** Selects a reason from the catalog. */
export function ReasonField({ appliesTo, selected, reasons, error, ...select }: ReasonFieldProps) {
  const { t } = useTranslation(['outcomes', 'common']);
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <SelectField
        {...select}
        label={t('fields.outcomeReason')}
        error={error}
        placeholder={t(reasons.isLoading ? 'reasonsLoading' : 'chooseReason')}
      >
        {reasons.choices(appliesTo, selected).map(({ code, label }) => (
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
