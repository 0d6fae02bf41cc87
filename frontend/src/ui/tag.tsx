import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { cn } from './cn';

export type Tone = 'ok' | 'warn' | 'bad' | 'info' | 'idle' | 'accent';

export const softTone: Record<Tone, string> = {
  ok: 'bg-ok-soft text-ok',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  info: 'bg-info-soft text-info',
  idle: 'bg-idle-soft text-idle',
  accent: 'bg-accent-soft text-accent',
};

interface TagProps {
  tone?: Tone;
  icon?: LucideIcon;
  className?: string;
  children: ReactNode;
}

export function Tag({ tone = 'idle', icon: Icon, className, children }: TagProps) {
  return (
    <span
      className={cn(
        'inline-flex h-5 shrink-0 items-center gap-1 rounded-full px-2 text-xs font-medium whitespace-nowrap',
        softTone[tone],
        className,
      )}
    >
      {Icon && <Icon aria-hidden className="size-3 shrink-0" />}
      {children}
    </span>
  );
}

interface CountProps {
  tone?: Tone;
  children: ReactNode;
}

export function Count({ tone = 'idle', children }: CountProps) {
  return (
    <span
      className={cn(
        'inline-flex h-[18px] min-w-[18px] items-center justify-center rounded-full px-1.5 text-caps font-medium tabular-nums',
        softTone[tone],
      )}
    >
      {children}
    </span>
  );
}

export function Kbd({ children }: { children: ReactNode }) {
  return (
    <kbd className="inline-flex h-5 min-w-5 items-center justify-center rounded-box border border-line2 bg-surface px-1 font-sans text-caps text-muted">
      {children}
    </kbd>
  );
}
