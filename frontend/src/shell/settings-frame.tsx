import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useAuth } from '@/auth/use-auth';
import { useText } from '@/i18n/texts';
import { useCurrentRecord } from './current-record';
import { settingsGroups, type VisibleGroup, visibleGroups } from './drawer-links';
import type { RouteName } from '@/routing/route-paths';
import { cn } from '@/ui/cn';
import { ViewTabs } from '@/ui/tabs';
import { DrawerLinkItem } from './drawer-link-item';
import { navigationRecords, withParents } from './records';
import { useDeadLetterCount } from './use-dead-letter-count';

interface SettingsFrameProps {
  groups?: readonly VisibleGroup[];
  children: ReactNode;
}

/** Admin settings with their menu beside the page, or above it on narrow screens. */
export function SettingsFrame({ groups, children }: SettingsFrameProps) {
  const { hasRole } = useAuth();
  const trail = withParents(useCurrentRecord()).map(({ name }) => name);
  const shown = groups ?? visibleGroups(hasRole, settingsGroups);
  // A single tab would lead to no other page.
  const hasTabs = shown.flatMap(({ links }) => links).length > 1;
  return (
    <div className="flex min-w-0 flex-1 max-xl:flex-col">
      <SettingsMenu groups={shown} trail={trail} />
      {hasTabs && <SettingsTabs groups={shown} trail={trail} />}
      <div
        className={cn(
          'flex min-w-0 flex-1 flex-col',
          // Lists that fill the window must leave room for the tabs.
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
  /** The open page and its ancestors. */
  trail: readonly RouteName[];
}

function SettingsMenu({ groups, trail }: SettingsMenuProps) {
  const { t } = useTranslation('shell');
  const textOf = useText();
  const toFix = useDeadLetterCount();
  return (
    <nav
      aria-label={t('settingsMenu')}
      className="sticky top-(--shell-top) h-[calc(100dvh-var(--shell-top))] w-64 shrink-0 overflow-y-auto border-e border-line bg-surface px-3 pb-4 max-xl:hidden print:hidden"
    >
      {groups.map((group) => (
        <section key={group.name} aria-labelledby={`settings-${group.name}`} className="mt-4">
          <h2 id={`settings-${group.name}`} className="caps px-2 pb-1 text-muted">
            {textOf(group.label)}
          </h2>
          <ul>
            {group.links.map((link) => (
              <DrawerLinkItem
                key={link.name}
                link={link}
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

/** The settings menu as tabs on narrow screens. */
function SettingsTabs({ groups, trail }: SettingsTabsProps) {
  const { t } = useTranslation('shell');
  const textOf = useText();
  const links = groups.flatMap((group) => group.links);
  return (
    <ViewTabs
      label={t('settingsTabs')}
      tabs={links.map(({ label, route, icon }) => ({
        id: route,
        label: textOf(label),
        to: navigationRecords[route].path,
        icon,
      }))}
      current={links.find(({ route }) => trail.includes(route))?.route}
      className="bg-surface px-2 xl:hidden print:hidden"
    />
  );
}
