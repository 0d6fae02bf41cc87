import { useClock } from '@/data/use-clock';
import { useTimeZone } from '@/data/use-time-zone';
import { useText } from '@/i18n/texts';
import { isPause, presentText, type ShownSetting } from './setting-values';

/** Formats the value that is in effect now. */
export function usePresentText(setting: ShownSetting, value: string): string {
  return presentText(setting, value, useTimeZone(), useClock(value, !isPause(setting)), useText());
}
