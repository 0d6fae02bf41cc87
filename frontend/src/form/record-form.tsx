import type { TypedDocumentNode } from '@urql/core';
import { useState } from 'react';
import { type FieldValues, useController, useForm, type UseFormReturn } from 'react-hook-form';
import { type AppError, normalizeError } from '@/data/errors';
import { useTimeZone } from '@/data/use-time-zone';
import { textIn, type TextKey, type TextOf, useText } from '@/i18n/texts';
import type { Go } from '@/routing/use-while-here';
import { FieldGroup } from '@/ui/field';
import {
  convertTimes,
  type CreateInput,
  type EditInput,
  emptyValues,
  type FormDefinition,
  type FormFields,
  type FormRecord,
  type FormValues,
  inputOf,
  mergeValues,
  placeErrors,
  shownFields,
  valuesOf,
} from './define-form';
import { PageForm } from './page-form';
import { useFormTimeZone } from './use-form-time-zone';
import { useLeave } from './use-leave';
import { type Outcome, showFieldErrors, useEditBase, useSave, type Versioned } from './use-save';

interface CreateFormProps<Fields extends FormFields, Data> {
  definition: FormDefinition<Fields>;
  create: (input: CreateInput<Fields>) => Promise<Outcome<Data>>;
  /** Reports the success and returns how to leave the page. */
  onCreated: (data: Data) => Go;
  cancelTo: string;
  label: string;
  busyLabel: string;
}

/** Page form that creates a record from a form definition. */
export function CreateForm<Fields extends FormFields, Data>(props: CreateFormProps<Fields, Data>) {
  const { definition, create, onCreated, cancelTo, label, busyLabel } = props;
  const t = useText();
  const form = useForm<FieldValues>({ defaultValues: emptyValues(definition, useTimeZone()) });
  const timeZone = useFormTimeZone(form, (values, from, to) => convertTimes(definition, values, from, to));
  const [failure, setFailure] = useState<AppError>();
  const { exit, leave } = useLeave();

  async function submit(values: FieldValues) {
    if (exit.isSaved()) return;
    setFailure(undefined);
    const { data, error } = await create(
      inputOf(definition, values, timeZone) as CreateInput<Fields>,
    );
    if (data) {
      await leave(onCreated(data));
      return;
    }
    const failed = placeErrors(definition, normalizeError(error));
    setFailure(failed);
    showFieldErrors(failed, Object.keys(definition.fields), form.setError);
  }

  return (
    <PageForm
      form={form}
      labels={labelsOf(definition, t, true)}
      failure={failure}
      create={{ label, busyLabel }}
      exit={exit}
      onSubmit={submit}
      cancelTo={cancelTo}
      className={definition.className}
    >
      <DefinedFields definition={definition} form={form} isNew />
    </PageForm>
  );
}

interface EditOptions<Fields extends FormFields, Row, Key extends object, Data> {
  definition: FormDefinition<Fields>;
  record: Row;
  /** Reads the current version of the record, aliased as `current`. */
  versionQuery: TypedDocumentNode<{ current: Versioned | null }, Key>;
  recordKey: Key;
  /** `base` is the record that filled the fields. */
  save: (input: EditInput<Fields>, base: Row) => Promise<Outcome<Data>>;
  /** Reports the success. Returns how to leave the page, or the saved record to stay on it. */
  onSaved: (data: Data, input: EditInput<Fields>) => Go | Row;
}

type Editable<Fields extends FormFields> = FormRecord<Fields> & { version: number };

/** Resets the form to `after`, except for values that the user changed from `before`. */
export function resetUnchanged(
  form: UseFormReturn<FieldValues>,
  before: FieldValues,
  after: FieldValues,
): void {
  const merged = mergeValues(before, form.getValues(), after);
  form.reset(after);
  for (const [name, value] of Object.entries(merged)) form.setValue(name, value, { shouldDirty: true });
}

/** Fills a form from a record and saves it; detects version conflicts. */
export function useEditForm<
  Fields extends FormFields,
  Row extends Editable<Fields>,
  Key extends object,
  Data,
>(options: EditOptions<Fields, Row, Key, Data>) {
  const { definition, record, versionQuery, recordKey, save, onSaved } = options;
  const t = useText();
  const current = useTimeZone();
  const form = useForm<FieldValues>({ defaultValues: valuesOf(definition, record, current) });
  const timeZone = useFormTimeZone(form, convert);
  const [base, setBase] = useEditBase(record, form, read);
  const { failure, conflict, forget, attempt, exit } = useSave({
    versionQuery,
    fields: shownFields(definition, false).map(([name]) => name),
    setError: form.setError,
    place: (failed) => placeErrors(definition, failed),
  });

  function convert(values: FieldValues, from: string, to: string) {
    return convertTimes(definition, values, from, to, base);
  }

  function read(row: Row): FieldValues {
    return valuesOf(definition, row, current);
  }

  function submit(values: FieldValues) {
    const input = inputOf(definition, values, timeZone, base) as EditInput<Fields>;
    return attempt({
      key: recordKey,
      version: base.version,
      send: () => save(input, base),
      onSaved: (data) => {
        const next = onSaved(data, input);
        if (typeof next === 'function') return next;
        setBase(next);
        // Keep what was typed while the form was being saved.
        resetUnchanged(form, values, read(next));
        return undefined;
      },
    });
  }

  /** Resets the form to the latest loaded record. */
  function startOver() {
    forget();
    form.reset(read(record));
  }

  const labels = labelsOf(definition, t, false);
  return { form, base, labels, failure, conflict, exit, submit, startOver };
}

interface EditFormProps<Fields extends FormFields, Row, Key extends object, Data>
  extends EditOptions<Fields, Row, Key, Data> {
  /** Asks for confirmation before risky changes are saved. */
  confirm?: (values: FormValues<Fields>, base: Row) => Promise<boolean>;
  /** Reloads the record. */
  onReload: () => void;
  cancelTo: string;
  /** Text below the fields. */
  note?: string;
}

/** Page form that edits a record from a form definition. */
export function EditForm<
  Fields extends FormFields,
  Row extends Editable<Fields>,
  Key extends object,
  Data,
>({ confirm, onReload, cancelTo, note, ...options }: EditFormProps<Fields, Row, Key, Data>) {
  const { definition } = options;
  const { form, base, labels, failure, conflict, exit, submit, startOver } = useEditForm(options);
  return (
    <PageForm
      form={form}
      labels={labels}
      failure={failure}
      conflict={conflict}
      exit={exit}
      onReload={() => {
        startOver();
        onReload();
      }}
      onSubmit={async (values) => {
        if (confirm && !(await confirm(values as FormValues<Fields>, base))) return;
        await submit(values);
      }}
      cancelTo={cancelTo}
      className={definition.className}
    >
      <DefinedFields definition={definition} form={form} />
      {note && <p className="text-xs text-muted">{note}</p>}
    </PageForm>
  );
}

interface DefinedFieldsProps<Fields extends FormFields> {
  definition: FormDefinition<Fields>;
  form: UseFormReturn<FieldValues>;
  isNew?: boolean;
}

/** The fields in definition order; the form focuses the first invalid one. */
export function DefinedFields<Fields extends FormFields>(props: DefinedFieldsProps<Fields>) {
  const { definition, form, isNew = false } = props;
  const t = useText();
  const labels = labelsOf(definition, t, isNew);
  const { around: Around } = definition;
  const fields = (
    <div className={definition.wide ? 'grid gap-4 sm:grid-cols-2' : 'flex flex-col gap-4'}>
      {inGroups(shownFields(definition, isNew)).map(([group, members]) => {
        const drawn = members.map(([name, field]) => (
          <DefinedField key={name} {...{ name, field, form, t }} label={labels[name] ?? name} />
        ));
        if (group === undefined) return drawn;
        return (
          <div key={group} className="sm:col-span-2">
            <FieldGroup legend={<span className="sr-only">{t(group)}</span>}>
              <div className="flex flex-wrap gap-x-3 gap-y-4">{drawn}</div>
            </FieldGroup>
          </div>
        );
      })}
    </div>
  );
  return Around ? <Around form={form}>{fields}</Around> : fields;
}

type Named = [name: string, field: FormFields[string]];

/** Splits the fields where a group begins or ends. */
function inGroups(fields: readonly Named[]): [group: TextKey | undefined, fields: Named[]][] {
  const groups: [group: TextKey | undefined, fields: Named[]][] = [];
  for (const named of fields) {
    const last = groups.at(-1);
    if (last && last[0] === named[1].group) last[1].push(named);
    else groups.push([named[1].group, [named]]);
  }
  return groups;
}

interface DefinedFieldProps {
  name: string;
  field: FormFields[string];
  label: string;
  form: UseFormReturn<FieldValues>;
  t: TextOf;
}

function DefinedField({ name, field, label, form, t }: DefinedFieldProps) {
  const timeZone = useTimeZone();
  const { field: bound, fieldState, formState } = useController({
    name,
    control: form.control,
    rules: field.rules?.(t) ?? {},
  });
  const { hint } = field;
  const { defaultValues } = formState;
  return field.draw(
    {
      name,
      value: bound.value,
      onChange: bound.onChange,
      onBlur: bound.onBlur,
      ref: bound.ref,
      label,
      hint: typeof hint === 'function' ? hint(t, timeZone) : hint && t(hint),
      error: fieldState.error,
    },
    { saved: defaultValues?.[name], form, t },
  );
}

/** Returns the labels of the fields in screen order, for the error summary above a form. */
export function labelsOf(
  { fields, labels }: Pick<FormDefinition<FormFields>, 'fields' | 'labels'>,
  t: TextOf,
  isNew: boolean,
): Record<string, string> {
  return Object.fromEntries(
    // `defineForm` has checked that the labels have a text for each name.
    shownFields({ fields }, isNew).map(([name, { label }]) => [name, t(label ?? textIn(labels, name))]),
  );
}
