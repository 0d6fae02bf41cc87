import type { TFunction } from 'i18next';
import { CircleUser, FileText, type LucideIcon, Plus } from 'lucide-react';
import type { RoleCheck } from '@/auth/roles';
import { type VisibleLink, visibleGroups } from '@/navigation/drawer';
import { navigationRecords } from '@/navigation/records';
import { settingsGroups } from '@/navigation/settings-menu';
import { isRouteName, type RouteName } from '@/routing/route-paths';
import type { PaletteEntry } from './palette-entries';

/** Screens of those who are not signed in, and one that belongs into the middle of another. */
const LEFT_OUT: ReadonlySet<RouteName> = new Set([
  'login',
  'createAdmin',
  'forgotPassword',
  'resetPassword',
  'register',
  'health',
  'forbidden',
  'newDeliveryItem',
]);

const settingsIcons = new Map(
  settingsGroups.flatMap(({ links }) => links.map(({ route, icon }) => [route, icon] as const)),
);

function iconOf(name: RouteName): LucideIcon {
  if (name === 'account') return CircleUser;
  return settingsIcons.get(name) ?? (name.startsWith('new') ? Plus : FileText);
}

/** Every screen somebody may open as it is: first those of the drawer, by the names they have there. */
export function palettePages(
  links: readonly VisibleLink[],
  hasRole: (roles: RoleCheck) => boolean,
  t: TFunction<['shell', 'navigation']>,
): PaletteEntry[] {
  const linked = new Set(links.map(({ route }) => route));
  const others = Object.keys(navigationRecords).filter((name): name is RouteName => {
    if (!isRouteName(name) || LEFT_OUT.has(name) || linked.has(name)) return false;
    const { path, roles } = navigationRecords[name];
    return !path.includes('{') && (roles === undefined || hasRole(roles));
  });
  const titleOf = (name: RouteName) => t(navigationRecords[name].title, { ns: 'navigation' });
  return [
    ...links.map(({ name, route, icon }) => {
      const label = t(`links.${name}`, { ns: 'navigation' });
      const title = titleOf(route);
      const address = navigationRecords[route].path;
      return { name: route, icon, label, address, ...(title !== label && { note: title }) };
    }),
    ...others.map((name) => ({
      name,
      icon: iconOf(name),
      label: titleOf(name),
      address: navigationRecords[name].path,
    })),
  ];
}

/** The links of the drawer that somebody sees. */
export function visibleLinks(hasRole: (roles: RoleCheck) => boolean): VisibleLink[] {
  return visibleGroups(hasRole).flatMap(({ links }) => links);
}
