import type { TFunction } from 'i18next';
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
import { settingsGroups, visibleGroups, type VisibleLink } from '@/navigation/drawer';
import { navigationRecords, type QuickSearchInfo } from '@/navigation/records';
import { isRouteName, type RouteName } from '@/routing/route-paths';
import { routes } from '@/routing/routes';
import { quickSearchAddress } from './quick-search-address';

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

interface PaletteEntry {
  name: string;
  icon: LucideIcon;
  label: string;
  note?: string | undefined;
  address: string;
}

type Texts = TFunction<['shell', 'navigation']>;

/** What can be done with the first delivery that was found. */
export function actionsOn(
  deliveryId: string,
  hasRole: (roles: RoleCheck) => boolean,
  t: Texts,
): PaletteEntry[] {
  const history = navigationRecords.deliveryStatusHistories.quickSearch;
  return [
    ...(hasRole(WRITE_ROLES)
      ? [{ name: 'edit', icon: Pencil, address: routes.editDelivery({ deliveryId }) }]
      : []),
    { name: 'form', icon: ClipboardList, address: routes.viewForm({ deliveryId }) },
    ...(history
      ? [{ name: 'history', icon: History, address: quickSearchAddress('', history, deliveryId) }]
      : []),
  ].map((action) => ({ ...action, label: t(`palette.actions.${action.name}`) }));
}

/** The lists that can be searched for the text by their Delivery Doc, the deliveries first. */
export function searchesFor(text: string, links: readonly VisibleLink[], t: Texts): PaletteEntry[] {
  const byDoc = navigationRecords.deliveries.quickSearch?.label;
  const isOther = ({ route }: VisibleLink) => Number(route !== 'deliveries');
  const sorted = links.toSorted((one, other) => isOther(one) - isOther(other));
  return sorted.flatMap(({ name, icon, route }) => {
    const search: QuickSearchInfo | undefined = navigationRecords[route].quickSearch;
    if (!text || !search || search.label !== byDoc) return [];
    return [
      {
        name,
        icon,
        label: t(`links.${name}`, { ns: 'navigation' }),
        note: t('palette.with', { field: t(search.label, { ns: 'navigation' }), text }),
        address: quickSearchAddress('', search, text),
      },
    ];
  });
}
