import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import * as v from 'valibot';
import { type GroupWith, type TextKey, textIn, type TextOf } from '@/i18n/texts';
import { isDay, toWallTime } from '@/lib/dates';
import type { FilterValue } from '@/list/filters-codec';
import type { Lookup } from '@/list/resource';
import { DateField, DateTimeField } from './date-field';
import { convertDateTime, dateTimeRules, INVALID_DATE, toInstant } from './date-text';
import type { BoundField, FieldRules, FormField, Sending } from './define-form';
import { CheckboxField, RadioField } from './choice-fields';
import { SelectField, TextareaField, TextField } from './fields';
import { atMost } from './limits';
import { LookupField } from './lookup-field';

type StoredText = string | null | undefined;
type TextKind<Sent> = FormField<string, StoredText, Sent>;

/** For identifiers and codes: turns off autocomplete, capitalization and spell checking. */
const VERBATIM = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const;

type Look = Pick<FormField<unknown, unknown, unknown>, 'hint'>;

interface FieldOptions extends FieldRules<string>, Look {
  /** May be left empty, which sends null. */
  optional?: boolean;
  maxLength?: number;
}

type Optional<Options> = Options & { optional: true };

interface TextOptions extends FieldOptions {
  type?: 'email' | 'tel';
  verbatim?: boolean;
}

const notBlank = (text: string) => text.trim() !== '';

function lookOf({ hint }: Look): Look {
  return { ...(hint && { hint }) };
}

function textField(
  options: FieldOptions,
  draw: (bound: BoundField<string>, optional: boolean) => ReactNode,
): TextKind<string | null> {
  const { optional = false, validate, maxLength, pattern, deps } = options;
  return {
    ...lookOf(options),
    empty: '',
    rules: () => ({
      ...(pattern && { pattern }),
      ...(deps && { deps }),
      validate: { ...(!optional && { required: notBlank }), ...(maxLength && atMost(maxLength)), ...validate },
    }),
    fill: (stored) => stored ?? '',
    send: (value) => value.trim() || (optional ? null : ''),
    draw: (bound) => draw(bound, optional),
  };
}

/** A line of text; surrounding spaces are trimmed. */
export function text(options: Optional<TextOptions>): TextKind<string | null>;
export function text(options?: TextOptions): TextKind<string>;
export function text({ type, verbatim = false, ...options }: TextOptions = {}): TextKind<string | null> {
  return textField(options, (bound, optional) => (
    <TextField
      {...bound}
      {...(verbatim ? VERBATIM : { autoComplete: 'off' })}
      {...(type && { type })}
      optional={optional}
    />
  ));
}

/** A text field of several lines. */
export function lines(options: Optional<FieldOptions>): TextKind<string | null>;
export function lines(options?: FieldOptions): TextKind<string>;
export function lines(options: FieldOptions = {}): TextKind<string | null> {
  return textField(options, (bound, optional) => <TextareaField {...bound} optional={optional} />);
}

interface LookupOptions extends FieldOptions {
  lookup: Lookup;
}

/** A line of text with suggestions. */
export function lookup({ lookup: own, ...options }: Optional<LookupOptions>): TextKind<string | null> {
  return textField(options, (bound, optional) => <LookupField {...bound} lookup={own} optional={optional} />);
}

const noOption: FilterValue = { label: '', value: '' };
const optionSchema = v.object({ label: v.string(), value: v.string() });

/**
 * An optional selection of one of the suggestions. Keeps its label, with which a restored form shows it. A label without a
 * value is text that was typed, but is not a choice.
 */
export function optionalLookup(
  options: Look & { lookup: Lookup },
): FormField<FilterValue, FilterValue | null, string | null> {
  return {
    ...lookOf(options),
    empty: noOption,
    fill: (stored) => stored ?? noOption,
    send: ({ value }) => value || null,
    accepts: (kept) => v.is(optionSchema, kept),
    draw: ({ value: { label, value }, onChange, ...bound }) => (
      <LookupField
        {...bound}
        lookup={options.lookup}
        value={value}
        shown={label}
        onChange={(_, selected = noOption) => onChange(selected)}
        strict
        optional
      />
    ),
  };
}

/** An optional day: YYYY-MM-DD. */
export function optionalDate(options: Look = {}): TextKind<string | null> {
  const day = (value: string) => value === '' || isDay(value) || INVALID_DATE;
  return textField({ ...options, optional: true, validate: { validate: day } }, (bound) => (
    <DateField {...bound} optional />
  ));
}

const convertField = (text: string, { timeZone, stored }: Sending<StoredText>, to: string) =>
  convertDateTime(text, timeZone, to, stored);

interface DateTimeOptions extends Look {
  /** Checks in addition to the check that the date is valid. */
  checks?: (t: TextOf) => NonNullable<FieldRules<string>['validate']>;
  deps?: string[];
}

/** An ISO instant, typed in the organization's time zone; a new form has the current time. */
export function dateTime({ checks, deps, ...look }: DateTimeOptions = {}): FormField<string, string, string> {
  const { required, validate } = dateTimeRules();
  return {
    ...lookOf(look),
    empty: '',
    initial: (timeZone, now) => toWallTime(now, timeZone),
    rules: (t) => ({ required, validate: { validate, ...checks?.(t) }, ...(deps && { deps }) }),
    fill: (stored, timeZone) => toWallTime(stored, timeZone),
    send: (value, { timeZone, stored }) => toInstant(value, timeZone, stored) ?? '',
    convert: convertField,
    draw: (bound) => <DateTimeField {...bound} />,
  };
}

/** An optional ISO instant, typed in the organization's time zone. */
export function optionalDateTime({ checks, deps, ...look }: DateTimeOptions = {}): TextKind<string | null> {
  const { validate } = dateTimeRules({ optional: true });
  return {
    ...textField({ ...look, optional: true }, (bound) => <DateTimeField {...bound} optional />),
    rules: (t) => ({ validate: { validate, ...checks?.(t) }, ...(deps && { deps }) }),
    fill: (stored, timeZone) => (stored ? toWallTime(stored, timeZone) : ''),
    send: (value, { timeZone, stored }) => toInstant(value, timeZone, stored),
    convert: convertField,
  };
}

/** A switch. */
export function toggle(options: Look & { initially: boolean }): FormField<boolean, boolean, boolean> {
  return {
    ...lookOf(options),
    empty: options.initially,
    fill: (stored) => stored,
    send: (value) => value,
    draw: ({ value, ...bound }) => <CheckboxField {...bound} checked={value} isSwitch />,
  };
}

interface ChoiceOptions<Value extends string> extends Look {
  values: readonly Value[];
  initially: Value;
  /** Group of translations with a text for each value. */
  names: GroupWith<NoInfer<Value>>;
  icon?: (value: Value) => LucideIcon;
  deps?: string[];
}

/** A choice of one of a few values, shown as cards. */
export function choice<Value extends string>(options: ChoiceOptions<Value>): FormField<Value, Value, Value> {
  const { values, initially, names, icon, deps } = options;
  return {
    ...lookOf(options),
    empty: initially,
    ...(deps && { rules: () => ({ deps }) }),
    fill: (stored) => stored,
    send: (value) => value,
    accepts: (kept) => values.some((value) => value === kept),
    draw: ({ value: chosen, ref, ...bound }, { t }) => (
      <RadioField
        {...bound}
        options={values.map((value) => ({
          value,
          label: t(textIn(names, value)),
          ...(icon && { icon: icon(value) }),
          checked: value === chosen,
          // This option gets the focus if the field is invalid.
          ...(value === chosen && { ref }),
        }))}
      />
    ),
  };
}

interface SelectOptions<Value extends string> extends Look {
  values: readonly Value[];
  /** Group of translations with a text for each value. */
  names: GroupWith<NoInfer<Value>>;
}

/** A choice of one of several values, shown as a list. */
export function select<Value extends string>(
  options: SelectOptions<Value> & { initially: Value },
): FormField<Value, Value, Value> {
  const { values, names, initially } = options;
  return {
    ...lookOf(options),
    empty: initially,
    fill: (stored) => stored,
    send: (value) => value,
    draw: (bound, { t }) => (
      <SelectField {...bound}>
        {values.map((value) => (
          <option key={value} value={value}>
            {t(textIn(names, value))}
          </option>
        ))}
      </SelectField>
    ),
  };
}

/** Like `select`, but the selection can be empty. `none` is the translation key of the empty option. */
export function optionalSelect<Value extends string>(
  options: SelectOptions<Value> & { initially: Value | ''; none: TextKey },
): FormField<Value | '', Value | null, Value | null> {
  const { values, names, initially, none } = options;
  return {
    ...lookOf(options),
    empty: initially,
    fill: (stored) => stored ?? '',
    send: (value) => value || null,
    draw: (bound, { t }) => (
      <SelectField {...bound} optional placeholder={t(none)}>
        {values.map((value) => (
          <option key={value} value={value}>
            {t(textIn(names, value))}
          </option>
        ))}
      </SelectField>
    ),
  };
}
