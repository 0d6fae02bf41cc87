import { useEffect, useEffectEvent, useState } from 'react';
import type { FieldValues, UseFormReturn } from 'react-hook-form';

/**
 * The record that the fields were filled from: what is saved stands on its version, not on a newer one
 * read since. While nothing is changed here, the fields follow what is read.
 */
export function useBase<Row extends { version: number }, Values extends FieldValues>(
  row: Row,
  form: UseFormReturn<Values>,
  toValues: (row: Row) => Values,
): Row {
  const [base, setBase] = useState(row);
  const { isDirty } = form.formState;
  const fill = useEffectEvent((newer: Row) => form.reset(toValues(newer)));

  useEffect(() => {
    if (isDirty || row.version <= base.version) return;
    setBase(row);
    fill(row);
  }, [row, base, isDirty]);

  return base;
}
