import { PROOFS } from '@/domain/proofs';
import { INVALID_DATE } from '@/form/date-text';
import { EMAIL, lengthOf } from '@/form/limits';
import type { TextOf } from '@/i18n/texts';
import { formatDateTime, formatDay, formatTime, fromWallTime, isDay, isTimeZone } from '@/lib/dates';
import { formatQuantity } from '@/lib/numbers';
import { LOGO_SETTING_ID, parseLogo } from '@/domain/logo-value';
import type { Setting } from './queries';

export type SettingRules = Pick<Setting, 'id' | 'type' | 'min' | 'max' | 'pattern' | 'options'>;

const TIME_ZONE_SETTING_ID = 'organization-time-zone';
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$/;
const NUMBER = /^-?\d+(?:\.\d+)?$/;

/** Whether the value is a date, with or without a time. Invalid dates have an error message of their own. */
const isDated = ({ type }: SettingRules) => type === 'date' || type === 'dateTime';

function isDateTime(text: string): boolean {
  const [date = '', time = ''] = text.split('T');
  return isDay(date) && TIME.test(time);
}

function isPageAddress(text: string): boolean {
  try {
    return ['http:', 'https:'].includes(new URL(text).protocol);
  } catch {
    return false;
  }
}

/**
 * Matches the whole text against the server's pattern. A pattern that the browser cannot parse is left to the server.
 */
function fitsPattern(pattern: string | null, text: string): boolean {
  if (pattern === null) return true;
  try {
    return new RegExp(`^(?:${pattern})$`, 'u').test(text);
  } catch {
    return true;
  }
}

function isFormatted({ type, pattern }: SettingRules, text: string): boolean {
  switch (type) {
    case 'number':
      return NUMBER.test(text) && fitsPattern(pattern, text);
    case 'time':
      return TIME.test(text);
    case 'email':
      return EMAIL.test(text);
    case 'url':
      return isPageAddress(text);
    case 'text':
    case 'password':
      return fitsPattern(pattern, text);
    default:
      return true;
  }
}

type Bound = 'length' | 'value';

/** What the bounds limit: the value or, for types without an order, the length in characters. */
function boundOf(setting: SettingRules): Bound {
  return setting.type === 'number' || isDated(setting) ? 'value' : 'length';
}

/** Returns a negative number if the text is below the bound. Dates and times compare as strings. */
function compare(setting: SettingRules, text: string, bound: string): number {
  if (isDated(setting)) return text < bound ? -1 : Number(text > bound);
  const size = setting.type === 'number' ? Number(text) : lengthOf(text);
  return size - Number(bound);
}

interface RuleOptions {
  /** Error message of an empty value. The specification fixes its text, as it does for invalid dates. */
  required: string;
  /** Error message of a time zone that this browser doesn't know: once it is saved, no page could be shown. */
  unknownTimeZone: string;
  /** Whether the browser could not parse the input, which it reports as empty. */
  isUnreadable: boolean;
}

/** Returns the validation rules of a text field by translation key. The message of the first failing rule is shown. */
export function settingRules(setting: SettingRules, { required, unknownTimeZone, isUnreadable }: RuleOptions) {
  const { id, type, min, max, options } = setting;
  const isIn = (bound: Bound, text: string, side: 'min' | 'max') => {
    const limit = side === 'min' ? min : max;
    if (limit === null || boundOf(setting) !== bound) return true;
    const order = compare(setting, text.trim(), limit);
    return side === 'min' ? order >= 0 : order <= 0;
  };
  return {
    validate: {
      date: (text: string) => {
        if (!isDated(setting)) return true;
        if (text === '') return !isUnreadable || INVALID_DATE;
        return (type === 'date' ? isDay(text) : isDateTime(text)) || INVALID_DATE;
      },
      required: (text: string) => text.trim() !== '' || isUnreadable || required,
      pattern: (text: string) => isFormatted(setting, text.trim()),
      min: (text: string) => isIn('value', text, 'min'),
      max: (text: string) => isIn('value', text, 'max'),
      minLength: (text: string) => isIn('length', text, 'min'),
      maxLength: (text: string) => isIn('length', text, 'max'),
      validate: (text: string) => options.length === 0 || options.includes(text.trim()),
      timeZone: (text: string) => id !== TIME_ZONE_SETTING_ID || isTimeZone(text.trim()) || unknownTimeZone,
    },
  };
}

/** Converts a value to the string that is sent: without surrounding spaces, unless it is a password. */
export function sentValue({ type }: Pick<Setting, 'type'>, text: string): string {
  return type === 'password' ? text : text.trim();
}

/** Properties of a setting needed to format its value. */
export type ShownSetting = Pick<Setting, 'id' | 'type' | 'isSecret' | 'options'>;

/** ID of the setting whose value is a comma-separated list of proofs. */
const PROOF_SETTING_ID = 'delivery-proof';
const NO_PROOF = 'none';
/** ID of the setting whose value is the time when the pause of imports ends. */
const PAUSE_SETTING_ID = 'import-paused-until';
export const isPause = ({ id }: Pick<Setting, 'id'>) => id === PAUSE_SETTING_ID;
const NEVER_PAUSED = '2000-01-01T00:00';

/** Units by the last part of the setting ID. */
const UNITS = {
  seconds: 'seconds',
  minutes: 'minutes',
  hours: 'hours',
  days: 'days',
  size: 'mebibytes',
} as const;

function unitOf(id: string) {
  const last = id.slice(id.lastIndexOf('-') + 1);
  return Object.hasOwn(UNITS, last) ? UNITS[last as keyof typeof UNITS] : undefined;
}

function numberText(id: string, value: string, textOf: TextOf): string {
  const count = Number(value);
  if (value === '' || !Number.isFinite(count)) return value;
  const unit = unitOf(id);
  const shown = formatQuantity(count);
  return unit ? textOf(`settings:units.${unit}`, { count, shown }) : shown;
}

const OPTIONS = ['mdy', 'dmy', 'photo_or_note', 'photo', 'note', 'nothing', 'keep', 'refuse'] as const;

/** Labels an option of a setting. */
export function optionText(option: string, textOf: TextOf): string {
  const known = OPTIONS.find((own) => own === option);
  return known ? textOf(`settings:options.${known}`) : option;
}

/** Formats a value for display; a value that does not parse is shown unchanged. */
export function settingText(setting: ShownSetting, value: string, textOf: TextOf): string {
  const { id, type, isSecret, options } = setting;
  if (isSecret) return textOf('settings:secret');
  if (id === LOGO_SETTING_ID) return textOf(parseLogo(value).url ? 'settings:logo.set' : 'settings:logo.none');
  if (id === PROOF_SETTING_ID) {
    return value
      .split(',')
      .map((name) => {
        const known = PROOFS.find((own) => own === name);
        if (known) return textOf(`proof-rules:proofs.${known}`);
        return name === NO_PROOF ? textOf('common:none') : name;
      })
      .join(', ');
  }
  switch (type) {
    case 'date':
      return formatDay(value) || value;
    case 'dateTime':
      if (isPause(setting) && value === NEVER_PAUSED) return textOf('settings:notPaused');
      // The value is already in the organization's time zone, so it is not converted.
      return formatDateTime(`${value}:00Z`, 'UTC') || value;
    case 'time':
      return formatTime(`2000-01-01T${value}:00Z`, 'UTC') || value;
    case 'boolean':
      return value === 'true' ? textOf('settings:yes') : value === 'false' ? textOf('settings:no') : value;
    case 'number':
      return numberText(id, value, textOf);
    default:
      return options.includes(value) ? optionText(value, textOf) : value;
  }
}

/** Formats the value that is in effect at a time. A pause of imports that has ended is shown as not paused. */
export function presentText(setting: ShownSetting, value: string, timeZone: string, now: number, textOf: TextOf): string {
  const end = isPause(setting) ? fromWallTime(value, timeZone) : undefined;
  const isOver = end !== undefined && Date.parse(end) <= now;
  return isOver ? textOf('settings:notPaused') : settingText(setting, value, textOf);
}

/** Describes the bounds of a value, or of a text's length. */
export function boundsText(
  setting: ShownSetting & Pick<Setting, 'min' | 'max'>,
  textOf: TextOf,
): string | undefined {
  const { type, min, max } = setting;
  const isDated = type === 'date' || type === 'dateTime';
  const say = (bound: string) =>
    isDated || type === 'number'
      ? settingText(setting, bound, textOf)
      : textOf('settings:characters', { count: Number(bound), shown: bound });
  if (min !== null && max !== null) {
    return textOf('settings:bounds.between', { min: isDated ? say(min) : min, max: say(max) });
  }
  if (min !== null) return textOf(isDated ? 'settings:bounds.from' : 'settings:bounds.min', { min: say(min) });
  return max === null ? undefined : textOf('settings:bounds.max', { max: say(max) });
}
