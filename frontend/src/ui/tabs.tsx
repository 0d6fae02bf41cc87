import type { LucideIcon } from 'lucide-react';
import { useLayoutEffect, useRef } from 'react';
import { Link, type To } from 'react-router';
import { cn } from './cn';
import { Count } from './tag';

export interface ViewTab {
  id: string;
  label: string;
  to: To;
  /** History state of the view. */
  state?: unknown;
  count?: number | string | undefined;
  icon?: LucideIcon;
  onChoose?: () => void;
}

interface ViewTabsProps {
  label: string;
  tabs: readonly ViewTab[];
  current: string | undefined;
  /** Whether the page keeps its scroll position. For tabs that are not at the top of their page. */
  preventScrollReset?: boolean;
  className?: string;
}

/** How many pixels of the next tab stay in sight, to show that there are more. */
const BESIDE = 32;

/** Tabs for views. A view has a URL, so its tab is a link: Back, middle click and copying work. */
export function ViewTabs({ label, tabs, current, preventScrollReset = false, className }: ViewTabsProps) {
  const list = useRef<HTMLUListElement>(null);
  const isThere = tabs.some(({ id }) => id === current);
  // Counts make the tabs wider when they arrive.
  const counts = tabs.filter(({ count }) => count !== undefined).length;
  // On a phone, the current tab may be beyond the edge. Only the tabs scroll, not the page.
  useLayoutEffect(() => {
    const tab = list.current?.querySelector('[aria-current]');
    if (!list.current || !tab) return;
    const [outer, inner] = [list.current.getBoundingClientRect(), tab.getBoundingClientRect()];
    if (inner.left < outer.left) list.current.scrollLeft -= outer.left - inner.left + BESIDE;
    else if (inner.right > outer.right) list.current.scrollLeft += inner.right - outer.right + BESIDE;
  }, [current, isThere, counts]);
  return (
    <nav aria-label={label} className={cn('min-w-0 border-b border-line', className)}>
      <ul ref={list} className="-mb-px flex overflow-x-auto overflow-y-hidden [scrollbar-width:none]">
        {tabs.map(({ id, label: text, to, state, count, icon: Icon, onChoose }) => {
          const active = id === current;
          return (
            <li key={id}>
              <Link
                to={to}
                state={state}
                preventScrollReset={preventScrollReset}
                onClick={onChoose}
                aria-current={active ? 'page' : undefined}
                className={cn(
                  'flex h-9 items-center gap-2 border-b-2 px-3 text-sm font-medium whitespace-nowrap transition-colors duration-120 ease-out focus-visible:-outline-offset-2 pointer-coarse:h-11',
                  active
                    ? 'border-accent text-accent'
                    : 'border-transparent text-muted hover:border-line2 hover:text-fg',
                )}
              >
                {Icon && <Icon aria-hidden className="size-3.5" />}
                {text}
                {count !== undefined && <Count tone={active ? 'accent' : 'idle'}>{count}</Count>}
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

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

/** A few mutually exclusive choices side by side. */
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
