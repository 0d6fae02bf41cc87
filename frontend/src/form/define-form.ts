import type { ComponentType, ReactNode, RefCallback } from 'react';
import type { FieldError, FieldValues, UseFormReturn } from 'react-hook-form';
import type { AppError } from '@/data/errors';
import type { TextGroup, TextKey, TextOf } from '@/i18n/texts';

type Plain = Readonly<Record<string, unknown>>;

/**
 * Checks a value. Returns true if it is valid, or the message that explains the problem. `values` are all values of the
 * form.
 */
type Check<Value> = { check(value: Value, values: Plain): boolean | string }['check'];

/** A field's rules. A check is named after the rule whose default message is shown when it fails. */
export interface FieldRules<Value> {
  required?: boolean;
  min?: number;
  max?: number;
  pattern?: RegExp;
  validate?: Record<string, Check<Value>>;
  /** Fields that are checked again when this one changes. */
  deps?: string[];
}

/** Props of a field component. */
export interface BoundField<Value> {
  name: string;
  value: Value;
  onChange: (next: unknown) => void;
  onBlur: () => void;
  ref: RefCallback<unknown>;
  label: string;
  hint: string | undefined;
  error: FieldError | undefined;
}

interface Surroundings<Value> {
  /** The value that the form was filled with. */
  saved: Value;
  /** The form, for fields that read or change other fields. */
  form: UseFormReturn<FieldValues>;
  t: TextOf;
}

interface FieldBase<Value> {
  /** Defaults to the text of the field's name in the `labels` of the form; see `labeled`. */
  label?: TextKey;
  /** Translation key of the hint, or a function that returns the hint. */
  hint?: TextKey | ((t: TextOf, timeZone: string) => string);
  empty: Value;
  /** The value in a new form, if it is not the empty one. */
  initial?(timeZone: string, now: Date): Value;
  /** `t` translates the field's own messages. */
  rules?(t: TextOf): FieldRules<Value>;
  draw(bound: BoundField<Value>, surroundings: Surroundings<Value>): ReactNode;
  newOnly?: boolean;
  /** Translation key that names this field together with its neighbors of the same group. */
  group?: TextKey;
  /**
   * Whether a value restored from storage is valid for this field. By default, every value of the same type as
   * `empty` is valid.
   */
  accepts?(kept: unknown): boolean;
  /** Converts a local time to the time zone `to`; fields without local times leave this out. */
  convert?(value: Value, sending: Sending<unknown>, to: string): Value;
}

export interface Sending<Stored> {
  values: Plain;
  /** The time zone of the local times among the values. */
  timeZone: string;
  /** The value that filled the field; undefined in a create form. */
  stored: Stored | undefined;
}

/**
 * A form field: its control, its rules, how to read its value from a record (`Stored`), and what it sends (`Sent`).
 * Common kinds are in `kinds.tsx`.
 */
export interface FormField<Value, Stored, Sent> extends FieldBase<Value> {
  fill(stored: Stored, timeZone: string): Value;
  send(value: Value, sending: Sending<Stored>): Sent;
}

/**
 * A form field that does not match a single field on the server. It is read from the whole record, and sends a part of
 * the input.
 */
export interface PartsField<Value, Row, Input extends object> extends FieldBase<Value> {
  /** Names of the server fields that this field sends. Their errors are shown at this field. */
  parts: readonly string[];
  fill(row: Row, timeZone: string): Value;
  send(value: Value, sending: Sending<Row>): Input;
}

type AnyField = FormField<unknown, unknown, unknown> | PartsField<unknown, unknown, object>;

export type FormFields = Record<string, AnyField>;

export interface FormDefinition<Fields extends FormFields> {
  /** Group of translations with a text for each field that has no label of its own. */
  labels: TextGroup;
  /** Width of the form. */
  className: string;
  /** Two columns if there is room. */
  wide?: boolean;
  /** Provides state that several fields share. */
  around?: ComponentType<{ form: UseFormReturn<FieldValues>; children: ReactNode }>;
  /** In screen order, keyed by the server's field names. */
  fields: Fields;
}

type Kept<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends { newOnly: true } ? never : Name;
}[keyof Fields];

/** The intersection of the given object types. */
type Together<Parts> = (Parts extends unknown ? (part: Parts) => void : never) extends (all: infer All) => void
  ? All
  : never;

export type FormValues<Fields extends FormFields> = {
  [Name in keyof Fields]: Fields[Name]['empty'];
};

type RowOf<Name extends string, Field extends AnyField> = Field extends { parts: readonly string[] }
  ? Parameters<Field['fill']>[0]
  : Record<Name, Parameters<Field['fill']>[0]>;

type InputOf<Name extends string, Field extends AnyField> = Field extends { parts: readonly string[] }
  ? ReturnType<Field['send']>
  : Record<Name, ReturnType<Field['send']>>;

/** The record type that an edit form is filled from. */
export type FormRecord<Fields extends FormFields> = Together<
  { [Name in Kept<Fields> & string]: RowOf<Name, Fields[Name]> }[Kept<Fields> & string]
>;

type InputOfNames<Fields extends FormFields, Names extends keyof Fields> = Together<
  { [Name in Names & string]: InputOf<Name, Fields[Name]> }[Names & string]
>;

/** The input of the create and update mutations. Updates leave out fields that cannot change later. */
export type CreateInput<Fields extends FormFields> = InputOfNames<Fields, keyof Fields>;
export type EditInput<Fields extends FormFields> = InputOfNames<Fields, Kept<Fields>>;

/** Requires `label` for each field whose name has no text in the `labels` of the form. */
type Labeled<Labels extends TextGroup, Fields extends FormFields> = {
  [Name in keyof Fields & string]: `${Labels}.${Name}` extends TextKey ? unknown : { label: TextKey };
};

/** Declares the fields of a form once, for creating and editing. */
export function defineForm<Labels extends TextGroup, Fields extends FormFields>(
  definition: FormDefinition<Fields> & { labels: Labels; fields: Labeled<Labels, Fields> },
): FormDefinition<Fields> {
  return definition;
}

/** Gives a field a label of its own. */
export function labeled<Field extends AnyField>(label: TextKey, field: Field): Field & { label: TextKey } {
  return { ...field, label };
}

/** Marks a field that is set when the record is created and cannot be changed later. */
export function newOnly<Field extends AnyField>(field: Field): Field & { newOnly: true } {
  return { ...field, newOnly: true };
}

type Definition = Pick<FormDefinition<FormFields>, 'fields'>;

/** Returns the fields shown in the create form or the edit form. */
export function shownFields({ fields }: Definition, isNew: boolean) {
  return Object.entries(fields).filter(([, field]) => isNew || !field.newOnly);
}

/** Returns the values of a new form. */
export function emptyValues(
  definition: Definition,
  timeZone = 'UTC',
  now: Date = new Date(),
): Record<string, unknown> {
  return Object.fromEntries(
    shownFields(definition, true).map(([name, { empty, initial }]) => [name, initial ? initial(timeZone, now) : empty]),
  );
}

const isParts = (field: AnyField): field is PartsField<unknown, unknown, object> => 'parts' in field;

/** What a field reads from the record that filled the form; undefined without a record. */
const storedOf = (name: string, field: AnyField, record: object | undefined): unknown =>
  isParts(field) ? record : (record as Plain | undefined)?.[name];

export function valuesOf(
  definition: Definition,
  record: object,
  timeZone: string,
): Record<string, unknown> {
  return Object.fromEntries(
    shownFields(definition, false).map(([name, field]) => [
      name,
      field.fill(storedOf(name, field, record), timeZone),
    ]),
  );
}

/**
 * Returns the input with all fields, since the server clears those that are left out. Without `record`, returns the
 * input for creating.
 */
export function inputOf(
  definition: Definition,
  values: Plain,
  timeZone: string,
  record?: object,
): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const [name, field] of shownFields(definition, !record)) {
    const sent = field.send(values[name], { values, timeZone, stored: storedOf(name, field, record) });
    if (isParts(field)) Object.assign(input, sent);
    else input[name] = sent;
  }
  return input;
}

/** Returns the local times among the values, converted to another time zone. `record` is the one that filled the form. */
export function convertTimes(
  definition: Definition,
  values: Plain,
  from: string,
  to: string,
  record?: object,
): Record<string, unknown> {
  const times: Record<string, unknown> = {};
  for (const [name, field] of shownFields(definition, !record)) {
    const stored = storedOf(name, field, record);
    if (field.convert) times[name] = field.convert(values[name], { values, timeZone: from, stored }, to);
  }
  return times;
}

/** Moves the server's errors to the form fields that sent the affected values. */
export function placeErrors({ fields }: Definition, failed: AppError): AppError {
  const placed: Record<string, string[]> = {};
  for (const [server, texts] of Object.entries(failed.fields)) {
    const [name = server] =
      Object.entries(fields).find(([, field]) => isParts(field) && field.parts.includes(server)) ?? [];
    placed[name] = [...(placed[name] ?? []), ...texts];
  }
  return { ...failed, fields: placed };
}

/** Returns the values of a new form, with the values restored from storage that their fields accept. */
export function restoreValues(definition: Definition, kept: Plain): Record<string, unknown> {
  const values = emptyValues(definition);
  for (const [name, { empty, accepts }] of shownFields(definition, true)) {
    const value = kept[name];
    if (accepts ? accepts(value) : typeof value === typeof empty) values[name] = value;
  }
  return values;
}

/**
 * Merges the user's edits into a newer version: returns `after`, except for values that the user changed from `before`
 * to `typed`.
 */
export function mergeValues(before: Plain, typed: Plain, after: Plain): Record<string, unknown> {
  const isTyped = (name: string) => JSON.stringify(typed[name]) !== JSON.stringify(before[name]);
  return Object.fromEntries(Object.keys(after).map((name) => [name, isTyped(name) ? typed[name] : after[name]]));
}
