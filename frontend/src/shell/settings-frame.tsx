import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useAuth } from '@/auth/use-auth';
import { useCurrentRecord } from '@/navigation/current-record';
import { settingsGroups, type VisibleGroup, visibleGroups } from '@/navigation/drawer';
import { navigationRecords, withParents } from '@/navigation/records';
import type { RouteName } from '@/routing/route-paths';
import { cn } from '@/ui/cn';
import { ViewTabs } from '@/ui/tabs';
import { DrawerLinkItem } from './drawer-link-item';
import { useDeadLetterCount } from './use-dead-letter-count';

interface SettingsFrameProps {
  groups?: readonly VisibleGroup[];
  children: ReactNode;
}

/** The pages of the admin settings with their menu beside them, or above where there is no beside. */
export function SettingsFrame({ groups, children }: SettingsFrameProps) {
  const { hasRole } = useAuth();
  const trail = withParents(useCurrentRecord()).map(({ name }) => name);
  const shown = groups ?? visibleGroups(hasRole, settingsGroups);
  // A single tab leads nowhere else.
  const hasTabs = shown.flatMap(({ links }) => links).length > 1;
  return (
    <div className="flex min-w-0 flex-1 max-xl:flex-col">
      <SettingsMenu groups={shown} trail={trail} />
      {hasTabs && <SettingsTabs groups={shown} trail={trail} />}
      <div
        className={cn(
          'flex min-w-0 flex-1 flex-col',
          // Lists that fill the window leave room for the tabs as well.
          hasTabs && 'max-xl:[--shell-top:calc(var(--news)+93px)]',
        )}
      >
        {children}
      </div>
    </div>
  );
}

interface SettingsMenuProps {
  groups: readonly VisibleGroup[];
  /** The open page and those it lies below. */
  trail: readonly RouteName[];
}

function SettingsMenu({ groups, trail }: SettingsMenuProps) {
  const { t } = useTranslation(['navigation', 'shell']);
  const toFix = useDeadLetterCount();
  return (
    <nav
      aria-label={t('settingsMenu', { ns: 'shell' })}
      className="sticky top-(--shell-top) h-[calc(100dvh-var(--shell-top))] w-64 shrink-0 overflow-y-auto border-e border-line bg-surface px-3 pb-4 max-xl:hidden print:hidden"
    >
      {groups.map((group) => (
        <section key={group.name} aria-labelledby={`settings-${group.name}`} className="mt-4">
          <h2 id={`settings-${group.name}`} className="caps px-2 pb-1 text-muted">
            {t(`settingsGroups.${group.name}`)}
          </h2>
          <ul>
            {group.links.map((link) => (
              <DrawerLinkItem
                key={link.name}
                link={link}
                text={t(`settingsLinks.${link.name}`)}
                active={trail.includes(link.route)}
                current={trail[0] === link.route}
                count={link.name === 'deadLetters' ? toFix : undefined}
              />
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}

interface SettingsTabsProps {
  groups: readonly VisibleGroup[];
  trail: readonly RouteName[];
}

/** The side menu of the settings on screens too narrow for it. */
function SettingsTabs({ groups, trail }: SettingsTabsProps) {
  const { t } = useTranslation(['navigation', 'shell']);
  const links = groups.flatMap((group) => group.links);
  return (
    <ViewTabs
      label={t('settingsTabs', { ns: 'shell' })}
      tabs={links.map(({ name, route, icon }) => ({
        id: route,
        label: t(`settingsLinks.${name}`),
        to: navigationRecords[route].path,
        icon,
      }))}
      current={links.find(({ route }) => trail.includes(route))?.route}
      className="bg-surface px-2 xl:hidden print:hidden"
    />
  );
}
