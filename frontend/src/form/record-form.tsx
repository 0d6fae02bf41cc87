import type { TypedDocumentNode } from '@urql/core';
import type { TFunction } from 'i18next';
import { useRef, useState } from 'react';
import {
  type Control,
  type FieldValues,
  useController,
  useForm,
  type UseFormReturn,
} from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { type AppError, normalizeError } from '@/data/errors';
import { useTimeZone } from '@/data/use-time-zone';
import {
  type CreateInput,
  type EditInput,
  emptyValues,
  type FormDefinition,
  type FormField,
  type FormFields,
  type FormRecord,
  type FormValues,
  inputOf,
  shownFields,
  valuesOf,
} from './define-form';
import { PageForm } from './page-form';
import { type Outcome, showFieldErrors, useBase, useSave, type Versioned } from './use-save';

interface CreateFormProps<Fields extends FormFields, Data> {
  definition: FormDefinition<Fields>;
  create: (input: CreateInput<Fields>) => Promise<Outcome<Data>>;
  onCreated: (data: Data) => Promise<void> | void;
  cancelTo: string;
}

/** The page form that creates a record of the definition. */
export function CreateForm<Fields extends FormFields, Data>(props: CreateFormProps<Fields, Data>) {
  const { definition, create, onCreated, cancelTo } = props;
  const { t } = useTranslation(definition.texts);
  const timeZone = useTimeZone();
  const form = useForm<FieldValues>({ defaultValues: emptyValues(definition) });
  const [failure, setFailure] = useState<AppError>();
  // A second press may come before the page is gone.
  const isCreated = useRef(false);

  async function submit(values: FieldValues) {
    if (isCreated.current) return;
    setFailure(undefined);
    const { data, error } = await create(
      inputOf(definition, values, timeZone) as CreateInput<Fields>,
    );
    if (data) {
      isCreated.current = true;
      await onCreated(data);
      return;
    }
    const failed = normalizeError(error);
    setFailure(failed);
    showFieldErrors(failed, Object.keys(definition.fields), form.setError);
  }

  return (
    <PageForm
      form={form}
      labels={labelsOf(definition, t, true)}
      failure={failure}
      create={{ label: t('new.create'), busyLabel: t('new.creating') }}
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
  /** Reads the version of the record as it is now, by the name `current`. */
  versionQuery: TypedDocumentNode<{ current: Versioned | null }, Key>;
  recordKey: Key;
  /** `base` is what the fields were filled from. */
  save: (input: EditInput<Fields>, base: Row) => Promise<Outcome<Data>>;
  /** Leaves the page, or returns the record as it is now and stays on it. */
  onSaved: (data: Data, input: EditInput<Fields>) => Promise<Row | void> | Row | void;
}

type Editable<Fields extends FormFields> = FormRecord<Fields> & { version: number };

/** Fills a form from a record and saves it, or says who was faster. */
export function useEditForm<
  Fields extends FormFields,
  Row extends Editable<Fields>,
  Key extends object,
  Data,
>(options: EditOptions<Fields, Row, Key, Data>) {
  const { definition, record, versionQuery, recordKey, save, onSaved } = options;
  const { t } = useTranslation(definition.texts);
  const timeZone = useTimeZone();
  const read = (row: Row) => valuesOf(definition, row, timeZone);
  const form = useForm<FieldValues>({ defaultValues: read(record) });
  const [base, setBase] = useBase(record, form, read);
  const { failure, conflict, forget, attempt } = useSave({
    versionQuery,
    fields: shownFields(definition, false).map(([name]) => name),
    setError: form.setError,
  });

  function submit(values: FieldValues) {
    const input = inputOf(definition, values, timeZone, base) as EditInput<Fields>;
    return attempt({
      key: recordKey,
      version: base.version,
      send: () => save(input, base),
      onSaved: async (data) => {
        const now = await onSaved(data, input);
        if (!now) return undefined;
        setBase(now);
        form.reset(read(now));
        return 'stays';
      },
    });
  }

  /** Fills the form from the record as it was read last. */
  function startOver() {
    forget();
    form.reset(read(record));
  }

  const labels = labelsOf(definition, t, false);
  return { form, base, labels, failure, conflict, submit, startOver };
}

interface EditFormProps<Fields extends FormFields, Row, Key extends object, Data>
  extends EditOptions<Fields, Row, Key, Data> {
  /** Asks before something of weight is saved. */
  confirm?: (values: FormValues<Fields>, base: Row) => Promise<boolean>;
  /** Reads the record again. */
  onReload: () => void;
  cancelTo: string;
}

/** The page form that edits a record of the definition. */
export function EditForm<
  Fields extends FormFields,
  Row extends Editable<Fields>,
  Key extends object,
  Data,
>({ confirm, onReload, cancelTo, ...options }: EditFormProps<Fields, Row, Key, Data>) {
  const { definition } = options;
  const { form, base, labels, failure, conflict, submit, startOver } = useEditForm(options);
  return (
    <PageForm
      form={form}
      labels={labels}
      failure={failure}
      conflict={conflict}
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
    </PageForm>
  );
}

interface DefinedFieldsProps<Fields extends FormFields> {
  definition: FormDefinition<Fields>;
  form: UseFormReturn<FieldValues>;
  isNew?: boolean;
}

/** The fields in their order: of several that are wrong, the form focuses the first. */
export function DefinedFields<Fields extends FormFields>(props: DefinedFieldsProps<Fields>) {
  const { definition, form, isNew = false } = props;
  const { t } = useTranslation(definition.texts);
  const labels = labelsOf(definition, t, isNew);
  return (
    <div className={definition.wide ? 'grid gap-4 sm:grid-cols-2' : 'flex flex-col gap-4'}>
      {shownFields(definition, isNew).map(([name, field]) => (
        <DefinedField
          key={name}
          name={name}
          field={field}
          label={labels[name] ?? name}
          control={form.control}
          t={t}
        />
      ))}
    </div>
  );
}

interface DefinedFieldProps {
  name: string;
  field: FormField<unknown, unknown, unknown>;
  label: string;
  control: Control<FieldValues>;
  t: TFunction;
}

function DefinedField({ name, field, label, control, t }: DefinedFieldProps) {
  const { field: bound, fieldState, formState } = useController({
    name,
    control,
    rules: field.rules?.(t) ?? {},
  });
  const { defaultValues } = formState;
  return field.draw(
    {
      name,
      value: bound.value,
      onChange: bound.onChange,
      onBlur: bound.onBlur,
      ref: bound.ref,
      label,
      hint: field.hint && t(field.hint),
      error: fieldState.error,
    },
    { saved: defaultValues?.[name], t },
  );
}

function labelsOf(
  definition: Pick<FormDefinition<FormFields>, 'fields'>,
  t: TFunction,
  isNew: boolean,
): Record<string, string> {
  return Object.fromEntries(
    shownFields(definition, isNew).map(([name, { label }]) => [name, t(label ?? `fields.${name}`)]),
  );
}
