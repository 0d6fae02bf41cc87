import { useTranslation } from 'react-i18next';
import { useAuth } from '@/auth/use-auth';
import { visibleGroups } from '@/navigation/drawer';
import { withParents } from '@/navigation/records';
import { useCurrentRecord } from '@/navigation/use-current-record';
import { PoweredBy } from '@/ui/powered-by';
import { DrawerLinkItem } from './drawer-link-item';
import { UserBlock } from './user-block';

interface DrawerProps {
  onNavigate?: () => void;
}

export function Drawer({ onNavigate }: DrawerProps) {
  const { t } = useTranslation(['shell', 'navigation']);
  const { currentUser, hasRole } = useAuth();
  const trail = withParents(useCurrentRecord()).map(({ name }) => name);
  return (
    <div className="flex h-full flex-col">
      <div className="px-4 pt-4">
        <div className="flex h-10 items-center">
          <span className="line-clamp-2 max-w-50 text-title font-semibold tracking-[-0.012em]">
            {currentUser?.organization.name}
          </span>
        </div>
        <div className="mt-1.5">
          <PoweredBy />
        </div>
      </div>
      <nav aria-label={t('primary')} className="min-h-0 flex-1 overflow-y-auto px-2 pb-4">
        {visibleGroups(hasRole).map((group) => (
          <section key={group.name} aria-labelledby={`drawer-${group.name}`} className="mt-4">
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
