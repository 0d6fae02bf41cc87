import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { cn } from './cn';
import { softTone, type Tone } from './tones';

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
