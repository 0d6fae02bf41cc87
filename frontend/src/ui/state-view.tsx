import { CircleAlert, Lock, type LucideIcon, SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import { LogoMark } from './brand';
import { cn } from './cn';

export type StateKind = 'empty' | 'no-match' | 'loading' | 'error' | 'forbidden' | 'fatal';

interface StateViewProps {
  kind: StateKind;
  title: ReactNode;
  text?: ReactNode;
  /** Small print, such as a request ID or time. */
  detail?: ReactNode;
  /** One or two buttons. */
  actions?: ReactNode;
  /** Use `h1` if the page has no other heading. */
  as?: 'h1' | 'h2';
  className?: string;
}

const discs: Record<'no-match' | 'error' | 'forbidden', { icon: LucideIcon; classes: string }> = {
  'no-match': { icon: SearchX, classes: 'border border-line2 bg-surface text-muted' },
  error: { icon: CircleAlert, classes: 'bg-bad-soft text-bad' },
  forbidden: { icon: Lock, classes: 'border border-line2 bg-surface text-muted' },
};

function StateArt({ kind }: { kind: StateKind }) {
  if (kind === 'empty') return <EmptyArt />;
  if (kind === 'fatal') return <LogoMark size={48} />;
  if (kind === 'loading') {
    return (
      <span className="size-6 animate-spin rounded-full border-2 border-line2 border-t-accent" />
    );
  }
  const { icon: Icon, classes } = discs[kind];
  return (
    <span className={cn('flex size-14 items-center justify-center rounded-full', classes)}>
      <Icon className="size-6" />
    </span>
  );
}

export function StateView({
  kind,
  title,
  text,
  detail,
  actions,
  as: Heading = 'h2',
  className,
}: StateViewProps) {
  return (
    <div
      role={kind === 'error' || kind === 'fatal' ? 'alert' : 'status'}
      className={cn(
        'mx-auto flex w-full max-w-[440px] flex-col items-center px-4 py-10 text-center',
        className,
      )}
    >
      <span aria-hidden className="flex">
        <StateArt kind={kind} />
      </span>
      <Heading
        className={cn(
          'mt-5',
          kind === 'loading' ? 'text-base text-muted' : 'text-lg font-semibold text-fg',
        )}
      >
        {title}
      </Heading>
      {text && <div className="mt-1.5 space-y-1 text-base text-muted">{text}</div>}
      {detail && <p className="mt-3 text-xs text-muted">{detail}</p>}
      {actions && <div className="mt-5 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}

function EmptyArt() {
  return (
    <svg width="152" height="72" viewBox="0 0 152 72" fill="none" strokeWidth="2" aria-hidden>
      <path d="M0 66h152" className="stroke-line2" />
      <path
        d="M16 60C22 46 38 54 54 43"
        className="stroke-accent-line"
        strokeDasharray="1 7"
        strokeLinecap="round"
      />
      <g className="stroke-field" strokeLinejoin="round">
        <path d="M58 14 92 2l34 12v40L92 66 58 54Z" className="fill-surface" />
        <path d="m58 14 34 13 34-13M92 27v39" />
      </g>
      <path d="m75 8 34 12.5v10" className="stroke-accent" strokeLinecap="round" strokeLinejoin="round" />
      <circle cx="12" cy="66" r="5" className="fill-surface stroke-accent" strokeWidth="2.5" />
    </svg>
  );
}
