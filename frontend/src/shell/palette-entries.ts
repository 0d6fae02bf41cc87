import {
  CircleUser,
  ClipboardList,
  FileText,
  History,
  type LucideIcon,
  Pencil,
  Plus,
} from 'lucide-react';
import { type RoleCheck, WRITE_ROLES } from '@/auth/roles';
import type { TextOf } from '@/i18n/texts';
import { settingsGroups, visibleGroups, type VisibleLink } from './drawer-links';
import { isRouteName, type RouteName } from '@/routing/route-paths';
import { routes } from '@/routing/routes';
import { quickSearchAddress } from './quick-search-address';
import { navigationRecords, type QuickSearchInfo } from './records';

/** Screens that the palette leaves out: those for signed-out users, and one that is a step of another screen. */
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

/**
 * All screens without required parameters that the user can open. Screens in the drawer come first, under their labels
 * there.
 */
export function palettePages(
  links: readonly VisibleLink[],
  hasRole: (roles: RoleCheck) => boolean,
  textOf: TextOf,
): PaletteEntry[] {
  const linked = new Set(links.map(({ route }) => route));
  const others = Object.keys(navigationRecords).filter((name): name is RouteName => {
    if (!isRouteName(name) || LEFT_OUT.has(name) || linked.has(name)) return false;
    const { path, roles } = navigationRecords[name];
    return !path.includes('{') && (roles === undefined || hasRole(roles));
  });
  const titleOf = (name: RouteName) => textOf(navigationRecords[name].title);
  return [
    ...links.map(({ label: key, route, icon }) => {
      const label = textOf(key);
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

/** The drawer links that the user sees. */
export function visibleLinks(hasRole: (roles: RoleCheck) => boolean): VisibleLink[] {
  return visibleGroups(hasRole).flatMap(({ links }) => links);
}

interface PaletteEntry {
  name: string;
  icon: LucideIcon;
  label: string;
  note?: string | undefined;
  address: string;
}

/** Actions on the first matching delivery. */
export function actionsOn(
  deliveryId: string,
  hasRole: (roles: RoleCheck) => boolean,
  textOf: TextOf,
): PaletteEntry[] {
  const history = navigationRecords.deliveryStatusHistories.quickSearch;
  return [
    ...(hasRole(WRITE_ROLES)
      ? [{ name: 'edit' as const, icon: Pencil, address: routes.editDelivery({ deliveryId }) }]
      : []),
    { name: 'form' as const, icon: ClipboardList, address: routes.viewForm({ deliveryId }) },
    ...(history
      ? [{ name: 'history' as const, icon: History, address: quickSearchAddress('', history, deliveryId) }]
      : []),
  ].map((action) => ({ ...action, label: textOf(`shell:palette.actions.${action.name}`) }));
}

/** Lists that can be searched for the text by Delivery Doc, deliveries first. */
export function searchesFor(text: string, links: readonly VisibleLink[], textOf: TextOf): PaletteEntry[] {
  const byDoc = navigationRecords.deliveries.quickSearch?.label;
  const isOther = ({ route }: VisibleLink) => Number(route !== 'deliveries');
  const sorted = links.toSorted((one, other) => isOther(one) - isOther(other));
  return sorted.flatMap(({ name, label, icon, route }) => {
    const search: QuickSearchInfo | undefined = navigationRecords[route].quickSearch;
    if (!text || !search || search.label !== byDoc) return [];
    return [
      {
        name,
        icon,
        label: textOf(label),
        note: textOf('shell:palette.with', { field: textOf(search.label), text }),
        address: quickSearchAddress('', search, text),
      },
    ];
  });
}
