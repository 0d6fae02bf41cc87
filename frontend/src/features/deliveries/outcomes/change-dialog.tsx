import type { ReactNode } from 'react';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import { ChangedNote } from '../components/changed-note';
import type { Change } from '../use-change';
import type { Reasons } from '../use-reasons';
import type { ActionProps } from './action-props';
import { FormDialog } from './form-dialog';

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

/** A short form about a delivery that others work on as well. */
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
