import { type KeyboardEvent, memo } from 'react';
import { useTranslation } from 'react-i18next';
import { cn } from '@/ui/cn';
import type { DriverState } from '../freshness';
import type { Progress } from '../use-driver-days';
import { DriverDisc } from './driver-disc';
import { StateTag } from './state-tag';

interface DriverRowProps {
  driverId: string;
  name: string;
  state: DriverState;
  /** '20 s ago' */
  seen: string;
  progress: Progress | undefined;
  isSelected: boolean;
  isHovered: boolean;
  onSelect: (driverId: string) => void;
  onHover: (driverId: string | undefined) => void;
  onKeyDown: (event: KeyboardEvent, driverId: string) => void;
}

/**
 * One driver of the list, 56 pixels high. Told only what it shows: a driver moves every second, and
 * mostly nothing of that is to be read here.
 */
export const DriverRow = memo(function DriverRow(props: DriverRowProps) {
  const { driverId, name, state, seen, progress, isSelected, isHovered } = props;
  const { onSelect, onHover, onKeyDown } = props;
  const { t } = useTranslation('tracker');
  return (
    <button
      type="button"
      data-driver={driverId}
      aria-pressed={isSelected}
      onClick={() => onSelect(driverId)}
      onMouseEnter={() => onHover(driverId)}
      onMouseLeave={() => onHover(undefined)}
      onFocus={() => onHover(driverId)}
      onBlur={() => onHover(undefined)}
      onKeyDown={(event) => onKeyDown(event, driverId)}
      className={cn(
        'flex h-14 w-full items-center gap-3 border-b border-l-2 border-b-line px-4 text-left focus-visible:-outline-offset-2',
        isSelected ? 'border-l-accent bg-accent-soft' : 'border-l-transparent',
        !isSelected && isHovered && 'bg-raised',
      )}
    >
      <DriverDisc name={name} state={state} />
      <span className="flex min-w-0 flex-1 flex-col gap-0.5">
        <span className="flex items-center gap-2">
          <span className="min-w-0 flex-1 truncate text-sm font-medium">{name}</span>
          <StateTag state={state} />
        </span>
        <span className="flex items-center gap-2 text-xs text-muted">
          <span className="min-w-0 flex-1 truncate">{t('seen', { ago: seen })}</span>
          {progress && progress.total > 0 && (
            <>
              <span aria-hidden className="h-1 w-12 shrink-0 overflow-hidden rounded-full bg-line2">
                <span
                  className="block h-full bg-chart-accent"
                  style={{ width: `${Math.round((progress.done / progress.total) * 100)}%` }}
                />
              </span>
              <span className="min-w-12 shrink-0 text-right tabular-nums">
                {t('progress', { done: progress.done, total: progress.total })}
              </span>
            </>
          )}
        </span>
      </span>
    </button>
  );
});
