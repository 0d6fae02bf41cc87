import { useEffectEvent, useLayoutEffect, useState } from 'react';
import type { FieldValues, Path, PathValue, UseFormReturn } from 'react-hook-form';
import { useTimeZone } from '@/data/use-time-zone';
import { convertDateTime } from './date-text';

/** Returns the local times among the values, converted to another time zone. */
type Convert<Values> = (values: Values, from: string, to: string) => Partial<Values>;

/**
 * Returns the time zone of the times in a form, to send them with. When the organization's time zone changes, converts
 * the times before the browser handles the next input. Call it before the hooks that fill the form again, which use the
 * new time zone.
 */
export function useFormTimeZone<Values extends FieldValues>(
  form: UseFormReturn<Values>,
  convert: Convert<Values>,
): string {
  const current = useTimeZone();
  const [timeZone, setTimeZone] = useState(current);

  const follow = useEffectEvent(() => {
    const filled = form.formState.defaultValues as Values;
    const typed = convert(form.getValues(), timeZone, current);
    for (const name of Object.keys(typed) as Path<Values>[]) {
      form.setValue(name, typed[name] as PathValue<Values, Path<Values>>);
    }
    // Converted as well, so that times that nobody edited stay unedited.
    form.resetDefaultValues({ ...filled, ...convert(filled, timeZone, current) });
    setTimeZone(current);
  });
  useLayoutEffect(() => {
    if (current !== timeZone) follow();
  }, [current, timeZone]);

  return timeZone;
}

/** Like `useFormTimeZone`, for a form with one date and time. */
export function useFieldTimeZone<Values extends FieldValues>(
  form: UseFormReturn<Values>,
  name: keyof Values & string,
): string {
  return useFormTimeZone(form, (values, from, to) => {
    const time: FieldValues = { [name]: convertDateTime(values[name], from, to) };
    return time as Partial<Values>;
  });
}
