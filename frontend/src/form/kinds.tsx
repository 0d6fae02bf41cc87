import type { ReactNode } from 'react';
import { fromWallTime, isDay, toWallTime } from '@/lib/dates';
import type { Lookup } from '@/list/resource';
import { DateField, DateTimeField } from './date-field';
import { dateTimeRules, INVALID_DATE } from './date-text';
import type { BoundField, FieldRules, FormField } from './define-form';
import { CheckboxField } from './choice-fields';
import { TextField } from './fields';
import { LookupField } from './lookup-field';

type StoredText = string | null | undefined;

/** For identifiers and codes: turns off autocomplete, capitalization and spell checking. */
const VERBATIM = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const;

interface FieldOptions extends FieldRules<string> {
  label?: string;
  hint?: string;
  /** May be left empty; empty is sent as null. */
  optional?: boolean;
}

interface TextOptions extends FieldOptions {
  type?: 'email' | 'tel';
  verbatim?: boolean;
}

const notBlank = (text: string) => text.trim() !== '';

function textField(
  { label, hint, optional = false, maxLength, pattern, validate }: FieldOptions,
  draw: (bound: BoundField<string>, optional: boolean) => ReactNode,
): FormField<string, StoredText, string | null> {
  return {
    ...(label && { label }),
    ...(hint && { hint }),
    empty: '',
    rules: () => ({
      ...(maxLength && { maxLength }),
      ...(pattern && { pattern }),
      validate: { ...(!optional && { required: notBlank }), ...validate },
    }),
    fill: (stored) => stored ?? '',
    send: (value) => value.trim() || (optional ? null : ''),
    draw: (bound) => draw(bound, optional),
  };
}

/** A line of text; surrounding spaces are trimmed. */
export function text(
  options: TextOptions & { optional: true },
): FormField<string, StoredText, string | null>;
export function text(options?: TextOptions): FormField<string, StoredText, string>;
export function text(options: TextOptions = {}): FormField<string, StoredText, string | null> {
  const { type, verbatim = false } = options;
  return textField(options, (bound, optional) => (
    <TextField
      {...bound}
      {...(verbatim ? VERBATIM : { autoComplete: 'off' })}
      {...(type && { type })}
      optional={optional}
    />
  ));
}

/** A line of text with suggestions. */
export function lookup(
  options: FieldOptions & { lookup: Lookup; optional: true },
): FormField<string, StoredText, string | null> {
  return textField(options, (bound, optional) => (
    <LookupField {...bound} lookup={options.lookup} optional={optional} />
  ));
}

/** An optional day: YYYY-MM-DD. */
export function optionalDate(
  options: Pick<FieldOptions, 'label' | 'hint'> = {},
): FormField<string, StoredText, string | null> {
  const day = (value: string) => value === '' || isDay(value) || INVALID_DATE;
  return textField({ ...options, optional: true, validate: { validate: day } }, (bound) => (
    <DateField {...bound} optional />
  ));
}

/** An optional ISO instant, typed in the organization's time zone. */
export function optionalDateTime(
  options: Pick<FieldOptions, 'label' | 'hint'> = {},
): FormField<string, StoredText, string | null> {
  const { validate } = dateTimeRules({ optional: true });
  return {
    ...textField({ ...options, optional: true, validate: { validate } }, (bound) => (
      <DateTimeField {...bound} optional />
    )),
    fill: (stored, timeZone) => (stored ? toWallTime(stored, timeZone) : ''),
    send: (value, timeZone, stored) => {
      // Send an untouched time unchanged: the boxes have no seconds.
      if (stored && toWallTime(stored, timeZone) === value) return stored;
      return fromWallTime(value, timeZone) ?? null;
    },
  };
}

/** On or off. */
export function toggle(
  options: { label?: string; hint?: string; initially: boolean },
): FormField<boolean, boolean, boolean> {
  const { label, hint, initially } = options;
  return {
    ...(label && { label }),
    ...(hint && { hint }),
    empty: initially,
    fill: (stored) => stored,
    send: (value) => value,
    draw: ({ value, ...bound }) => <CheckboxField {...bound} checked={value} isSwitch />,
  };
}
