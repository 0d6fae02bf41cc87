import type { TFunction } from 'i18next';
import { formatDateTime, formatDay, formatTime, fromWallTime } from '@/lib/dates';
import { formatQuantity } from '@/lib/numbers';
import { LOGO_SETTING_ID, parseLogo } from '@/logo/logo-value';
import type { Setting } from './queries';

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
