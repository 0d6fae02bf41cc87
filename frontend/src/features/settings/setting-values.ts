import type { TFunction } from 'i18next';
import { INVALID_DATE } from '@/form/date-text';
import { EMAIL } from '@/form/limits';
import { formatDateTime, formatDay, formatTime, fromWallTime, isDay } from '@/lib/dates';
import { formatQuantity } from '@/lib/numbers';
import { LOGO_SETTING_ID, parseLogo } from '@/domain/logo-value';
import type { Setting } from './queries';

export type SettingRules = Pick<Setting, 'type' | 'min' | 'max' | 'pattern' | 'options'>;

const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$/;
const NUMBER = /^-?\d+(?:\.\d+)?$/;

/** Days and times are told what is wrong with them by a text of their own. */
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

/** What the server wants of the whole text; one this browser cannot read is left to the server. */
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

/** What bounds hold: the value itself, or the length in characters of what has no order. */
function boundOf(setting: SettingRules): Bound {
  return setting.type === 'number' || isDated(setting) ? 'value' : 'length';
}

/** Below zero when the text is less than the bound. Days and times have an order as they are written. */
function compare(setting: SettingRules, text: string, bound: string): number {
  if (isDated(setting)) return text < bound ? -1 : Number(text > bound);
  const size = setting.type === 'number' ? Number(text) : Array.from(text).length;
  return size - Number(bound);
}

interface RuleOptions {
  /** Fixed letter for letter, like that of a wrong date. */
  required: string;
  /** The browser could make nothing of what stands in the field, and so says it is empty. */
  isUnreadable: boolean;
}

/** Rules of a field of text by the names of their texts, in the order in which they are told. */
export function settingRules(setting: SettingRules, { required, isUnreadable }: RuleOptions) {
  const { type, min, max, options } = setting;
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
    },
  };
}

/** What is sent: a string, whatever it stands for. */
export function sentValue({ type }: Pick<Setting, 'type'>, text: string): string {
  return type === 'password' ? text : text.trim();
}

/** What has to be known of a setting to show its value. */
export type ShownSetting = Pick<Setting, 'id' | 'type' | 'isSecret' | 'options'>;

type Texts = TFunction<['settings', 'common']>;

/** Holds names of proofs with commas between them. */
const PROOF_SETTING_ID = 'delivery-proof';
const NO_PROOF = 'none';
/** Holds until when no import starts. */
const PAUSE_SETTING_ID = 'import-paused-until';
const NEVER_PAUSED = '2000-01-01T00:00';

/** The last part of an id says what a number counts. */
const UNITS: Record<string, string> = {
  seconds: 'seconds',
  minutes: 'minutes',
  hours: 'hours',
  days: 'days',
  size: 'mebibytes',
};

/** Key of the unit of a number, given `count` and `shown`. */
function unitOf(id: string): string | undefined {
  return UNITS[id.slice(id.lastIndexOf('-') + 1)];
}

function numberText(id: string, value: string, t: Texts): string {
  const count = Number(value);
  if (value === '' || !Number.isFinite(count)) return value;
  const unit = unitOf(id);
  const shown = formatQuantity(count);
  return unit ? t(`units.${unit}`, { count, shown }) : shown;
}

/** One of the few values of a setting, in words where it is no word itself. */
export function optionText(option: string, t: Texts): string {
  return t(`options.${option}`, { defaultValue: option });
}

/** A value as people read it. What cannot be read as its type is shown as it is. */
export function settingText(setting: ShownSetting, value: string, t: Texts): string {
  const { id, type, isSecret, options } = setting;
  if (isSecret) return t('secret');
  if (id === LOGO_SETTING_ID) return t(parseLogo(value).url ? 'logo.set' : 'logo.none');
  if (id === PROOF_SETTING_ID) {
    return value
      .split(',')
      .map((name) => t(name === NO_PROOF ? 'common:none' : `proof-rules:proofs.${name}`, name))
      .join(', ');
  }
  switch (type) {
    case 'date':
      return formatDay(value) || value;
    case 'dateTime':
      if (id === PAUSE_SETTING_ID && value === NEVER_PAUSED) return t('notPaused');
      // A time on the organisation's clock already: no zone to change it into.
      return formatDateTime(`${value}:00Z`, 'UTC') || value;
    case 'time':
      return formatTime(`2000-01-01T${value}:00Z`, 'UTC') || value;
    case 'boolean':
      return value === 'true' ? t('yes') : value === 'false' ? t('no') : value;
    case 'number':
      return numberText(id, value, t);
    default:
      return options.includes(value) ? optionText(value, t) : value;
  }
}

/** The value in force now, as people read it: a pause that is over is none. */
export function presentText(setting: ShownSetting, value: string, timeZone: string, t: Texts): string {
  const end = setting.id === PAUSE_SETTING_ID ? fromWallTime(value, timeZone) : undefined;
  const isOver = end !== undefined && Date.parse(end) <= Date.now();
  return isOver ? t('notPaused') : settingText(setting, value, t);
}

/** Between what a value, or the length of a text, has to lie. */
export function boundsText(
  setting: ShownSetting & Pick<Setting, 'min' | 'max'>,
  t: Texts,
): string | undefined {
  const { type, min, max } = setting;
  const isDated = type === 'date' || type === 'dateTime';
  const say = (bound: string) =>
    isDated || type === 'number'
      ? settingText(setting, bound, t)
      : t('characters', { count: Number(bound), shown: bound });
  if (min !== null && max !== null) {
    return t('bounds.between', { min: isDated ? say(min) : min, max: say(max) });
  }
  if (min !== null) return t(isDated ? 'bounds.from' : 'bounds.min', { min: say(min) });
  return max === null ? undefined : t('bounds.max', { max: say(max) });
}
