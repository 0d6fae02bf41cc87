import {
  CircleAlert,
  CircleCheck,
  Info,
  type LucideIcon,
  TriangleAlert,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { cn } from './cn';

export type NoteTone = 'info' | 'warn' | 'bad' | 'ok';

const looks: Record<NoteTone, { icon: LucideIcon; classes: string }> = {
  info: { icon: Info, classes: 'border-transparent bg-info-soft text-info' },
  warn: { icon: TriangleAlert, classes: 'border-warn-line bg-warn-soft text-warn' },
  bad: { icon: CircleAlert, classes: 'border-bad-line bg-bad-soft text-bad' },
  ok: { icon: CircleCheck, classes: 'border-transparent bg-ok-soft text-ok' },
};

interface NoteProps {
  tone?: NoteTone;
  title?: ReactNode;
  action?: ReactNode;
  /** `alert` for errors, `status` for success. */
  role?: 'alert' | 'status';
  /** Makes the note focusable, so that a form can focus it as its error summary. */
  ref?: React.Ref<HTMLDivElement>;
  className?: string;
  children?: ReactNode;
}

export function Note({ tone = 'info', title, action, role, ref, className, children }: NoteProps) {
  const { icon: Icon, classes } = looks[tone];
  return (
    <div
      ref={ref}
      role={role}
      tabIndex={ref ? -1 : undefined}
      className={cn(
        'flex items-start gap-2.5 rounded-control border px-3 py-2 text-sm',
        classes,
        className,
      )}
    >
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 flex-1">
        {title && <p className="font-medium">{title}</p>}
        {children && <div className={cn('text-fg', title !== undefined && 'mt-0.5')}>{children}</div>}
      </div>
      {action && <div className="shrink-0">{action}</div>}
    </div>
  );
}
