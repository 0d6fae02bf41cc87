import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { addDays, type Day, formatDay, isDay } from '@/lib/dates';
import { IconButton } from '@/ui/button';

interface DayPickerProps {
  value: Day;
  /** The last day there is. */
  today: Day;
  onChange: (day: Day) => void;
}

/** One day: the one before, the one after, or any by the calendar of the browser. */
export function DayPicker({ value, today, onChange }: DayPickerProps) {
  const { t } = useTranslation('tracker');
  const picker = useRef<HTMLInputElement>(null);
  return (
    <div role="group" aria-label={t('trail.day')} className="flex items-center gap-1">
      <IconButton
        icon={ChevronLeft}
        size={28}
        label={t('trail.previousDay')}
        onClick={() => onChange(addDays(value, -1))}
      />
      <span className="relative">
        <button
          type="button"
          onClick={() => picker.current?.showPicker()}
          className="hit-target rounded-control px-1 text-sm font-medium tabular-nums hover:bg-raised"
        >
          {formatDay(value)}
        </button>
        <input
          ref={picker}
          type="date"
          aria-label={t('trail.day')}
          tabIndex={-1}
          value={value}
          max={today}
          onChange={({ target }) => isDay(target.value) && onChange(target.value)}
          className="pointer-events-none absolute inset-x-0 bottom-0 h-7 w-px opacity-0"
        />
      </span>
      <IconButton
        icon={ChevronRight}
        size={28}
        label={t('trail.nextDay')}
        disabled={value >= today}
        onClick={() => onChange(addDays(value, 1))}
      />
    </div>
  );
}
