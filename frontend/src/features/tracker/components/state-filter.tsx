import { useTranslation } from 'react-i18next';
import { cn } from '@/ui/cn';
import { formatCount } from '@/lib/numbers';
import { softTone } from '@/ui/tones';
import { DRIVER_STATES, type DriverState } from '../freshness';
import { stateLooks } from './state-look';

interface StateFilterProps {
  counts: Record<DriverState, number>;
  value: DriverState | undefined;
  onChange: (value: DriverState | undefined) => void;
}

/** How many are moving, standing, stale or offline; each a way to see those alone. */
export function StateFilter({ counts, value, onChange }: StateFilterProps) {
  const { t } = useTranslation('tracker');
  const all = DRIVER_STATES.reduce((sum, state) => sum + counts[state], 0);
  const look = (isOn: boolean, tone: string) =>
    cn(
      'hit-target inline-flex h-6 items-center rounded-full border px-1.5 text-xs font-medium tabular-nums',
      tone,
      isOn ? 'border-current' : 'border-transparent',
    );
  return (
    <div role="group" aria-label={t('filter')} className="-mx-1 flex flex-wrap gap-1">
      <button
        type="button"
        aria-pressed={value === undefined}
        onClick={() => onChange(undefined)}
        className={look(value === undefined, softTone.accent)}
      >
        {t('short.all', { count: all, shown: formatCount(all) })}
      </button>
      {DRIVER_STATES.map((state) => (
        <button
          key={state}
          type="button"
          aria-pressed={value === state}
          onClick={() => onChange(value === state ? undefined : state)}
          className={look(value === state, softTone[stateLooks[state].tone])}
        >
          {t(`short.${state}`, { count: counts[state], shown: formatCount(counts[state]) })}
        </button>
      ))}
    </div>
  );
}
