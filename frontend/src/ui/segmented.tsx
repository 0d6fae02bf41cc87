import type { LucideIcon } from 'lucide-react';
import { cn } from './cn';

export interface Segment<Value extends string> {
  value: Value;
  label: string;
  icon?: LucideIcon;
  disabled?: boolean;
}

interface SegmentedProps<Value extends string> {
  label: string;
  segments: readonly Segment<Value>[];
  value: Value;
  onChange: (value: Value) => void;
  className?: string;
}

/** A few choices beside each other, of which one is on. */
export function Segmented<Value extends string>(props: SegmentedProps<Value>) {
  const { label, segments, value, onChange, className } = props;
  return (
    <div
      role="group"
      aria-label={label}
      className={cn(
        'inline-flex h-8 shrink-0 items-center rounded-control border border-line2 bg-raised p-0.5',
        className,
      )}
    >
      {segments.map(({ value: own, label: text, icon: Icon, disabled }) => (
        <button
          key={own}
          type="button"
          disabled={disabled}
          aria-pressed={own === value}
          onClick={() => onChange(own)}
          className={cn(
            'hit-target inline-flex h-full items-center gap-1.5 rounded-box px-2.5 text-sm font-medium tabular-nums transition-colors duration-120 ease-out disabled:text-muted/55',
            own === value ? 'bg-surface text-fg shadow-float' : 'text-muted hover:text-fg',
          )}
        >
          {Icon && <Icon aria-hidden className="size-4" />}
          {text}
        </button>
      ))}
    </div>
  );
}
