import { ArrowUpRight, type LucideIcon } from 'lucide-react';
import { Link } from 'react-router';
import { Spark } from '@/ui/charts/spark';
import { Skeleton } from '@/ui/skeleton';
import type { Tone } from '@/ui/tones';

interface FigureCardProps {
  label: string;
  icon?: LucideIcon | undefined;
  tone?: Tone | undefined;
  /** Undefined while it is not known. */
  value: string | undefined;
  /** What it is measured against. */
  note?: string | undefined;
  to: string;
  /** Its last days, oldest first. */
  trend?: readonly number[] | undefined;
  trendColor?: string;
}

const iconTone: Record<Tone, string> = {
  ok: 'text-ok',
  warn: 'text-warn',
  bad: 'text-bad',
  info: 'text-info',
  idle: 'text-idle',
  accent: 'text-accent',
};

/** One figure, which leads to the deliveries it counts. */
export function FigureCard(props: FigureCardProps) {
  const { label, icon: Icon, tone = 'idle', value, note, to, trend, trendColor = 'var(--chart-accent)' } = props;
  return (
    <Link
      to={to}
      className="group flex min-w-0 flex-col rounded-panel border border-line bg-surface px-3 py-2.5 transition-colors duration-120 ease-out hover:border-accent-line hover:bg-raised print:break-inside-avoid"
    >
      <span className="flex items-start gap-1.5 text-xs text-muted">
        {Icon && <Icon aria-hidden className={`mt-px size-3.5 shrink-0 ${iconTone[tone]}`} />}
        <span className="min-w-0">{label}</span>
      </span>
      <span className="mt-auto flex h-9 items-center justify-between gap-2">
        {value === undefined ? (
          <Skeleton className="h-6 w-14" />
        ) : (
          <span className="text-kpi font-semibold">{value}</span>
        )}
        {trend && <Spark values={trend} color={trendColor} className="shrink-0 max-sm:hidden" />}
      </span>
      <span className="flex items-center justify-between gap-2 text-xs text-muted">
        <span className="min-w-0">{note ?? '\u00a0'}</span>
        <ArrowUpRight aria-hidden className="size-3.5 shrink-0 text-accent" />
      </span>
    </Link>
  );
}
