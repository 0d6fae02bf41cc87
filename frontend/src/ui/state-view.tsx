import { CircleAlert, Lock, type LucideIcon, SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import { cn } from './cn';
import { EmptyArt } from './empty-art';
import { LogoMark } from './logo-mark';

export type StateKind = 'empty' | 'no-match' | 'loading' | 'error' | 'forbidden' | 'fatal';

interface StateViewProps {
  kind: StateKind;
  title: ReactNode;
  text?: ReactNode;
  /** Small print: a request id, the time. */
  detail?: ReactNode;
  /** One or two buttons. */
  actions?: ReactNode;
  /** The page's own heading where nothing else gives it one. */
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
