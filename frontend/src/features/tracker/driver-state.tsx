import { Clock3, type LucideIcon, MapPin, Navigation, WifiOff } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { formatCount } from '@/lib/numbers';
import { cn } from '@/ui/cn';
import { softTone, Tag, type Tone } from '@/ui/tag';
import { DRIVER_STATES, type DriverState, initials } from './freshness';

interface StateLook {
  icon: LucideIcon;
  tone: Tone;
}

/** The looks of the states. A state is always shown together with its label. */
const stateLooks: Record<DriverState, StateLook> = {
  moving: { icon: Navigation, tone: 'ok' },
  stop: { icon: MapPin, tone: 'info' },
  stale: { icon: Clock3, tone: 'warn' },
  offline: { icon: WifiOff, tone: 'idle' },
};

/** The driver's initials. They are decorative, since the name is shown beside them. */
export function DriverDisc({ name, state }: { name: string; state: DriverState }) {
  return (
    <span
      aria-hidden
      className={cn(
        'flex size-8 shrink-0 items-center justify-center rounded-full text-caps font-semibold',
        softTone[stateLooks[state].tone],
      )}
    >
      {initials(name)}
    </span>
  );
}

interface StateFilterProps {
  counts: Record<DriverState, number>;
  value: DriverState | undefined;
  onChange: (value: DriverState | undefined) => void;
}

/** Filters by state, with the number of drivers in each. */
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

export function StateTag({ state }: { state: DriverState }) {
  const { t } = useTranslation('tracker');
  const { icon, tone } = stateLooks[state];
  return (
    <Tag tone={tone} icon={icon}>
      {t(`state.${state}`)}
    </Tag>
  );
}
