import { useTranslation } from 'react-i18next';
import { useAuth } from '@/auth/use-auth';
import { CustomerLogo } from '@/logo/customer-logo';
import { visibleGroups } from '@/navigation/drawer';
import { withParents } from '@/navigation/records';
import { useCurrentRecord } from '@/navigation/use-current-record';
import { DrawerLinkItem } from './drawer-link-item';
import { UserBlock } from './user-block';

interface DrawerProps {
  onNavigate?: () => void;
}

export function Drawer({ onNavigate }: DrawerProps) {
  const { t } = useTranslation(['shell', 'navigation']);
  const { hasRole } = useAuth();
  const trail = withParents(useCurrentRecord()).flatMap(({ name, section }) =>
    section ? [name, section] : [name],
  );
  return (
    <div className="flex h-full flex-col">
      <div className="px-4 pt-4">
        <CustomerLogo />
      </div>
      <nav aria-label={t('primary')} className="min-h-0 flex-1 overflow-y-auto px-2 pb-4">
        {visibleGroups(hasRole).map((group) => (
          <section key={group.name} aria-labelledby={`drawer-${group.name}`} className="mt-4 first:mt-1">
            <h2 id={`drawer-${group.name}`} className="caps px-2 pb-1 text-muted">
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
