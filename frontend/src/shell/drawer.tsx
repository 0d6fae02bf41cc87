import { Menu } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useAuth } from '@/auth/use-auth';
import { CustomerLogo } from '@/logo/customer-logo';
import { visibleGroups } from '@/navigation/drawer';
import { IconButton } from '@/ui/button';
import { withParents } from '@/navigation/records';
import { useCurrentRecord } from '@/navigation/use-current-record';
import { DrawerLinkItem } from './drawer-link-item';
import { UserBlock } from './user-block';

interface DrawerProps {
  onNavigate?: () => void;
  /** Given to the drawer that can fold to a rail: opens it in full. */
  onUnfold?: () => void;
}

export function Drawer({ onNavigate, onUnfold }: DrawerProps) {
  const { t } = useTranslation(['shell', 'navigation']);
  const { hasRole } = useAuth();
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
        <div className="px-2 pt-4 pb-1 rail:hidden">
          <CustomerLogo />
        </div>
        {visibleGroups(hasRole).map((group) => (
          <section key={group.name} aria-labelledby={`drawer-${group.name}`} className="mt-4 first:mt-1">
            <h2 id={`drawer-${group.name}`} className="caps px-2 pb-1 text-muted rail:sr-only">
              {t(`groups.${group.name}`, { ns: 'navigation' })}
            </h2>
            <ul>
              {group.links.map((link) => (
                <DrawerLinkItem
                  key={link.name}
                  link={link}
                  text={t(`links.${link.name}`, { ns: 'navigation' })}
                  active={trail.includes(link.route)}
                  current={trail[0] === link.route}
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
