import type { TFunction } from 'i18next';
import type { ReactNode, RefCallback } from 'react';
import type { FieldError } from 'react-hook-form';

/** Returns whether a value is right, or the message that says why not. */
type Check<Value> = { check(value: Value): boolean | string }['check'];

/** What a field accepts. The name of a check is the rule whose default text is shown when it fails. */
export interface FieldRules<Value> {
  maxLength?: number;
  pattern?: RegExp;
  validate?: Record<string, Check<Value>>;
}

/** What a field is drawn with. */
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
  /** What the form was filled with. */
  saved: Value;
  t: TFunction;
}

/**
 * A field of a form: how it looks, what it accepts, how it is read from a record (`Stored`) and what is
 * sent of it (`Sent`). Kinds that are used often are in `kinds.tsx`.
 */
export interface FormField<Value, Stored, Sent> {
  /** Key of its label; `fields.<name>` in the texts of the form unless given. */
  label?: string;
  /** Key of the sentence below it. */
  hint?: string;
  empty: Value;
  /** `t` is for messages of its own. */
  rules?(t: TFunction): FieldRules<Value>;
  fill(stored: Stored, timeZone: string): Value;
  /** `stored` is what the field was filled from; undefined in a form that creates. */
  send(value: Value, timeZone: string, stored: Stored | undefined): Sent;
  draw(bound: BoundField<Value>, surroundings: Surroundings<Value>): ReactNode;
  newOnly?: boolean;
}

export type FormFields = Record<string, FormField<unknown, unknown, unknown>>;

export interface FormDefinition<Fields extends FormFields> {
  /** Namespace of its texts. Those that create have `new.create` and `new.creating` there. */
  texts: string;
  /** Width of the form. */
  className: string;
  /** Two columns where there is room. */
  wide?: boolean;
  /** In their order on screen, named as the server names them. */
  fields: Fields;
}

type Kept<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends { newOnly: true } ? never : Name;
}[keyof Fields];

export type FormValues<Fields extends FormFields> = {
  [Name in keyof Fields]: Fields[Name]['empty'];
};

/** What an edit form can be filled from. */
export type FormRecord<Fields extends FormFields> = {
  [Name in Kept<Fields>]: Parameters<Fields[Name]['fill']>[0];
};

/** What is sent to create a record, and to change one: fields that are chosen once are left out. */
export type CreateInput<Fields extends FormFields> = {
  [Name in keyof Fields]: ReturnType<Fields[Name]['send']>;
};
export type EditInput<Fields extends FormFields> = Pick<CreateInput<Fields>, Kept<Fields>>;

/** Declares a form: its fields, once for creating and for editing. */
export function defineForm<Fields extends FormFields>(
  definition: FormDefinition<Fields>,
): FormDefinition<Fields> {
  return definition;
}

/** A field that is chosen when the record is created, and stays. */
export function newOnly<Field extends FormField<unknown, unknown, unknown>>(
  field: Field,
): Field & { newOnly: true } {
  return { ...field, newOnly: true };
}

type Plain = Readonly<Record<string, unknown>>;

/** Returns the fields of the form that creates, or of the one that edits. */
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

/** Returns all of the form, as what is left out is taken away. Without `record` it is for a new one. */
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
