import type { LucideIcon } from 'lucide-react';
import { Link, type To } from 'react-router';
import { cn } from './cn';
import { Count } from './tag';

export interface ViewTab {
  id: string;
  label: string;
  to: To;
  count?: number | string | undefined;
  icon?: LucideIcon;
}

interface ViewTabsProps {
  label: string;
  tabs: readonly ViewTab[];
  current: string | undefined;
  className?: string;
}

/** Views are addresses, so the tabs are links: Back, middle click and copying work as everywhere. */
export function ViewTabs({ label, tabs, current, className }: ViewTabsProps) {
  return (
    <nav aria-label={label} className={cn('min-w-0 border-b border-line', className)}>
      <ul className="-mb-px flex overflow-x-auto overflow-y-hidden [scrollbar-width:none]">
        {tabs.map(({ id, label: text, to, count, icon: Icon }) => {
          const active = id === current;
          return (
            <li key={id}>
              <Link
                to={to}
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
