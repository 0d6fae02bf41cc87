import { useTranslation } from 'react-i18next';
import type { VisibleGroup } from '@/navigation/drawer';
import { navigationRecords } from '@/navigation/records';
import type { RouteName } from '@/routing/route-paths';
import { ViewTabs } from '@/ui/tabs';

interface SettingsTabsProps {
  groups: readonly VisibleGroup[];
  trail: readonly RouteName[];
}

/** The side menu of the settings on screens too narrow for it. */
export function SettingsTabs({ groups, trail }: SettingsTabsProps) {
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
