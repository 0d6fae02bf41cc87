import { Link } from 'react-router';
import { useText } from '@/i18n/texts';
import type { VisibleLink } from './drawer-links';
import { RESTART } from '@/list/list-origin';
import { preloadPage } from '@/routing/preload';
import { cn } from '@/ui/cn';
import { Count } from '@/ui/tag';
import { navigationRecords } from './records';

interface DrawerLinkItemProps {
  link: VisibleLink;
  /** Whether the open screen is the link's target or below it. */
  active: boolean;
  current: boolean;
  /** Number of entries that need attention. */
  count?: string | undefined;
  onNavigate?: () => void;
}

export function DrawerLinkItem({ link, active, current, count, onNavigate }: DrawerLinkItemProps) {
  const { icon: Icon, route } = link;
  const text = useText()(link.label);
  const preload = () => preloadPage(route);
  return (
    <li>
      <Link
        to={navigationRecords[route].path}
        state={RESTART}
        aria-current={current ? 'page' : active ? 'true' : undefined}
        data-tip-cut
        onMouseEnter={preload}
        onFocus={preload}
        onClick={onNavigate}
        className={cn(
          'flex h-8 items-center gap-2.5 rounded-control px-2 text-sm transition-colors duration-120 ease-out pointer-coarse:h-11',
          active ? 'bg-accent-soft font-medium text-accent' : 'text-fg hover:bg-raised',
        )}
      >
        <Icon aria-hidden className={cn('size-4 shrink-0', !active && 'text-muted')} />
        <span className="min-w-0 truncate rail:sr-only">{text}</span>
        {count !== undefined && (
          <span className="ms-auto rail:sr-only">
            <Count tone={active ? 'accent' : 'idle'}>{count}</Count>
          </span>
        )}
      </Link>
    </li>
  );
}
