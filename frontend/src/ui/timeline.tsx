import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { cn } from './cn';
import { softTone, type Tone } from './tag';

export interface TimelineEntry {
  id: string;
  icon: LucideIcon;
  /** Omit it for a step that is not a state. Such a step gets a plain bordered dot. */
  tone?: Tone;
  title: ReactNode;
  meta?: ReactNode;
  text?: ReactNode;
}

export function Timeline({ entries, label }: { entries: readonly TimelineEntry[]; label: string }) {
  return (
    <ol aria-label={label}>
      {entries.map(({ id, icon: Icon, tone, title, meta, text }, index) => (
        <li key={id} className="relative flex gap-3 pb-4 last:pb-0">
          {index < entries.length - 1 && (
            <span aria-hidden className="absolute top-6 bottom-0 left-3 w-px -translate-x-1/2 bg-line2" />
          )}
          <span
            aria-hidden
            className={cn(
              'flex size-6 shrink-0 items-center justify-center rounded-full',
              tone ? softTone[tone] : 'border border-line2 bg-surface text-muted',
            )}
          >
            <Icon className="size-3.5" />
          </span>
          <div className="min-w-0 flex-1">
            <p className="pt-0.5 text-sm font-medium">{title}</p>
            {meta && <p className="text-xs text-muted">{meta}</p>}
            {text && <div dir="auto" className="mt-0.5 text-xs wrap-anywhere">{text}</div>}
          </div>
        </li>
      ))}
    </ol>
  );
}
