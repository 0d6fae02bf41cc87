import { LogOut, Menu } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router';
import { useAuth } from '@/auth/use-auth';
import { CustomerLogo } from '@/domain/customer-logo';
import { useText } from '@/i18n/texts';
import { useCurrentRecord } from './current-record';
import { visibleGroups } from './drawer-links';
import { preloadPage } from '@/routing/preload';
import { routes } from '@/routing/routes';
import { Avatar } from '@/ui/avatar';
import { Button, IconButton } from '@/ui/button';
import { DrawerLinkItem } from './drawer-link-item';
import { withParents } from './records';
import { useDeadLetterCount } from './use-dead-letter-count';
import { useSignOut } from './use-sign-out';

interface DrawerProps {
  onNavigate?: () => void;
  /** Opens the full drawer. If it is set, the drawer has a button for it while it is as narrow as a rail. */
  onUnfold?: () => void;
}

export function Drawer({ onNavigate, onUnfold }: DrawerProps) {
  const { t } = useTranslation('shell');
  const textOf = useText();
  const { hasRole } = useAuth();
  const toFix = useDeadLetterCount(hasRole('admin'));
  const trail = withParents(useCurrentRecord()).flatMap(({ name, section }) =>
    section ? [name, section] : [name],
  );
  return (
    <div className="flex h-full flex-col">
      {onUnfold && (
        <div className="hidden h-14 shrink-0 items-center justify-center rail:flex">
          <IconButton icon={Menu} label={t('openMenu')} onClick={onUnfold} />
        </div>
      )}
      <nav
        aria-label={t('primary')}
        className="min-h-0 flex-1 overflow-y-auto px-2 pb-4 rail:px-3"
      >
        <div className="px-2 pt-4 rail:hidden">
          <CustomerLogo />
        </div>
        {visibleGroups(hasRole).map((group) => (
          <section key={group.name} aria-labelledby={`drawer-${group.name}`} className="mt-4 first-of-type:mt-1">
            <h2 id={`drawer-${group.name}`} className="caps px-2 pb-1 text-muted rail:sr-only">
              {textOf(group.label)}
            </h2>
            <ul>
              {group.links.map((link) => (
                <DrawerLinkItem
                  key={link.name}
                  link={link}
                  active={trail.includes(link.route)}
                  current={trail[0] === link.route}
                  count={link.name === 'settings' ? toFix : undefined}
                  {...(onNavigate && { onNavigate })}
                />
              ))}
            </ul>
          </section>
        ))}
      </nav>
      <UserBlock onNavigate={onNavigate} />
    </div>
  );
}

interface UserBlockProps {
  onNavigate?: (() => void) | undefined;
}

const preload = () => preloadPage('account');

function UserBlock({ onNavigate }: UserBlockProps) {
  const { t } = useTranslation(['shell', 'common']);
  const { currentUser } = useAuth();
  const signOut = useSignOut();
  const { pathname } = useLocation();
  const username = currentUser?.username ?? '';

  return (
    <section aria-label={t('account')} className="border-t border-line px-4 pt-3 pb-2 rail:px-2">
      <div className="flex items-center gap-2 rail:flex-col">
        <Link
          to={routes.account()}
          data-tip={username}
          aria-current={pathname === routes.account() ? 'page' : undefined}
          onMouseEnter={preload}
          onFocus={preload}
          onClick={onNavigate}
          className="hit-target -ms-1 flex min-w-0 flex-1 items-center gap-2 rounded-control rail:ms-0 p-1 text-sm font-medium transition-colors duration-120 ease-out hover:bg-raised aria-[current=page]:text-accent"
        >
          <Avatar name={username} />
          <span className="min-w-0 truncate rail:sr-only">{username}</span>
        </Link>
        <Button
          variant="quiet"
          icon={LogOut}
          data-tip-cut
          className="-me-2 rail:me-0 rail:px-2"
          onClick={() => void signOut()}
        >
          <span className="truncate rail:sr-only">{t('logout')}</span>
        </Button>
      </div>
      <p className="mt-1 text-caps text-muted tabular-nums rail:text-center">{t('build', { ns: 'common' })}</p>
    </section>
  );
}
