import type { TFunction } from 'i18next';
import type { ReactNode, RefCallback } from 'react';
import type { FieldError } from 'react-hook-form';

/** Returns true for a valid value, or the message that explains the problem. */
type Check<Value> = { check(value: Value): boolean | string }['check'];

/** A field's rules. A check is named after the rule whose default message is shown when it fails. */
export interface FieldRules<Value> {
  maxLength?: number;
  pattern?: RegExp;
  validate?: Record<string, Check<Value>>;
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
  t: TFunction;
}

/**
 * A field of a form: how it looks, what it accepts, how it is read from a record (`Stored`) and what is
 * sent of it (`Sent`). Kinds that are used often are in `kinds.tsx`.
 */
export interface FormField<Value, Stored, Sent> {
  /** Key of its label; `fields.<name>` in the form's namespace by default. */
  label?: string;
  /** Key of the hint below it. */
  hint?: string;
  empty: Value;
  /** `t` translates messages of its own. */
  rules?(t: TFunction): FieldRules<Value>;
  fill(stored: Stored, timeZone: string): Value;
  /** `stored` is the record the field was filled from; undefined in a create form. */
  send(value: Value, timeZone: string, stored: Stored | undefined): Sent;
  draw(bound: BoundField<Value>, surroundings: Surroundings<Value>): ReactNode;
  newOnly?: boolean;
}

export type FormFields = Record<string, FormField<unknown, unknown, unknown>>;

export interface FormDefinition<Fields extends FormFields> {
  /** Namespace of its texts. Create forms need `new.create` and `new.creating` in it. */
  texts: string;
  /** Width of the form. */
  className: string;
  /** Two columns where there is room. */
  wide?: boolean;
  /** In screen order, keyed by the server's field names. */
  fields: Fields;
}

type Kept<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends { newOnly: true } ? never : Name;
}[keyof Fields];

export type FormValues<Fields extends FormFields> = {
  [Name in keyof Fields]: Fields[Name]['empty'];
};

/** The record type that an edit form is filled from. */
export type FormRecord<Fields extends FormFields> = {
  [Name in Kept<Fields>]: Parameters<Fields[Name]['fill']>[0];
};

/** Input of the create and update mutations; fields that cannot change later are left out of updates. */
export type CreateInput<Fields extends FormFields> = {
  [Name in keyof Fields]: ReturnType<Fields[Name]['send']>;
};
export type EditInput<Fields extends FormFields> = Pick<CreateInput<Fields>, Kept<Fields>>;

/** Declares the fields of a form once, for creating and editing. */
export function defineForm<Fields extends FormFields>(
  definition: FormDefinition<Fields>,
): FormDefinition<Fields> {
  return definition;
}

/** Marks a field that is set when the record is created and cannot be changed later. */
export function newOnly<Field extends FormField<unknown, unknown, unknown>>(
  field: Field,
): Field & { newOnly: true } {
  return { ...field, newOnly: true };
}

type Plain = Readonly<Record<string, unknown>>;

/** Returns the fields of the create form, or of the edit form. */
export function shownFields({ fields }: { fields: FormFields }, isNew: boolean) {
  return Object.entries(fields).filter(([, field]) => isNew || !field.newOnly);
}

export function emptyValues(definition: { fields: FormFields }): Record<string, unknown> {
  return Object.fromEntries(shownFields(definition, true).map(([name, { empty }]) => [name, empty]));
}

export function valuesOf(
  definition: { fields: FormFields },
  record: object,
  timeZone: string,
): Record<string, unknown> {
  return Object.fromEntries(
    shownFields(definition, false).map(([name, field]) => [
      name,
      field.fill((record as Plain)[name], timeZone),
    ]),
  );
}

/** Returns the input of all fields: the server clears fields that are left out. Without `record`, for a new record. */
export function inputOf(
  definition: { fields: FormFields },
  values: Plain,
  timeZone: string,
  record?: object,
): Record<string, unknown> {
  return Object.fromEntries(
    shownFields(definition, !record).map(([name, field]) => [
      name,
      field.send(values[name], timeZone, (record as Plain | undefined)?.[name]),
    ]),
  );
}
