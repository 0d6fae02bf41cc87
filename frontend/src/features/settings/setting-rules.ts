import { INVALID_DATE } from '@/form/date-text';
import { EMAIL } from '@/form/limits';
import { isDay } from '@/lib/dates';
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
