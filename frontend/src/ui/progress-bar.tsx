import { cn } from './cn';
import type { Tone } from './tag';

const fills: Record<Tone, string> = {
  ok: 'bg-chart-ok',
  warn: 'bg-chart-warn',
  bad: 'bg-chart-bad',
  info: 'bg-chart-info',
  idle: 'bg-chart-idle',
  accent: 'bg-chart-accent',
};

interface ProgressBarProps {
  label: string;
  /** From 0 to 1; undefined if the total is unknown. */
  value?: number | undefined;
  tone?: Tone;
  /** A 2-pixel line, for refetches. */
  thin?: boolean;
  className?: string;
}

export function ProgressBar({
  label,
  value,
  tone = 'accent',
  thin = false,
  className,
}: ProgressBarProps) {
  const percent = value === undefined ? undefined : Math.round(Math.min(1, Math.max(0, value)) * 100);
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      className={cn('overflow-hidden bg-hover', thin ? 'h-0.5' : 'h-1.5 rounded-full', className)}
    >
      {percent === undefined ? (
        <div className={cn('h-full w-1/4 animate-indeterminate', fills[tone])} />
      ) : (
        <div
          className={cn('h-full transition-[width] duration-160 ease-out', fills[tone])}
          style={{ width: `${percent}%` }}
        />
      )}
    </div>
  );
}

export interface BarSegment {
  tone: Tone;
  label: string;
  value: number;
}

interface SegmentedBarProps {
  label: string;
  segments: readonly BarSegment[];
  /** The value of the full width; defaults to the sum of the segments. */
  total?: number;
}

export function SegmentedBar({ label, segments, total }: SegmentedBarProps) {
  const whole = total ?? segments.reduce((sum, segment) => sum + segment.value, 0);
  const words = segments.map((segment) => `${segment.label} ${segment.value}`).join(', ');
  return (
    <div
      role="img"
      aria-label={`${label}: ${words}`}
      className="flex h-2 gap-px overflow-hidden rounded-full bg-hover"
    >
      {segments
        .filter((segment) => segment.value > 0 && whole > 0)
        .map((segment) => (
          <div
            key={segment.label}
            className={cn('h-full min-w-1', fills[segment.tone])}
            style={{ width: `${(segment.value / whole) * 100}%` }}
          />
        ))}
    </div>
  );
}
