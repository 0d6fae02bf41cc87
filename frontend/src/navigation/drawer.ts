import {
  ChartColumn,
  ClipboardList,
  FlaskConical,
  History,
  Image,
  Inbox,
  KeyRound,
  LayoutDashboard,
  type LucideIcon,
  MapPin,
  Megaphone,
  Package,
  ScrollText,
  Settings,
  Store,
  Upload,
  UserCog,
  Users,
  Warehouse,
} from 'lucide-react';
import type { RoleCheck } from '@/auth/roles';
import { isRouteName, type RouteName } from '@/routing/route-paths';
import { navigationRecords } from './records';

/**
 * The side menu of the admin settings. Texts are `settingsGroups.<name>` and `settingsLinks.<name>`;
 * as in the drawer, a link shows once its screen exists.
 */
export const settingsGroups: readonly DrawerGroup[] = [
  {
    name: 'permissions',
    links: [
      { name: 'users', route: 'adminUsers', icon: Users },
      { name: 'system', route: 'adminSystemSettings', icon: Settings },
      { name: 'report', route: 'reportSettings', icon: ChartColumn },
    ],
  },
  {
    name: 'actions',
    links: [
      { name: 'deadLetters', route: 'deadLetters', icon: Inbox },
      { name: 'editLogo', route: 'editLogo', icon: Image },
    ],
  },
];

export interface DrawerLink {
  /** Its text is `links.<name>`. */
  name: string;
  /** The route it leads to; the link stays hidden while no screen has that name. */
  route: string;
  icon: LucideIcon;
  roles?: RoleCheck;
}

export interface DrawerGroup {
  /** Its text is `groups.<name>`. */
  name: string;
  links: readonly DrawerLink[];
}

export const drawerGroups: readonly DrawerGroup[] = [
  {
    name: 'main',
    links: [
      { name: 'dashboard', route: 'dashboard', icon: LayoutDashboard },
      { name: 'import', route: 'uploadDeliveries', icon: Upload },
      { name: 'reports', route: 'report', icon: ChartColumn },
      { name: 'forms', route: 'forms', icon: ClipboardList },
      { name: 'drivers', route: 'drivers', icon: Users },
      { name: 'driverTracker', route: 'driverTrackerList', icon: MapPin },
      { name: 'driversResetPassword', route: 'driverResetPassword', icon: KeyRound },
      { name: 'userResetPassword', route: 'userResetPassword', icon: UserCog, roles: 'admin' },
      { name: 'deliveryStatusHistory', route: 'deliveryStatusHistories', icon: History },
      { name: 'driverLog', route: 'driverLogs', icon: ScrollText },
    ],
  },
  {
    name: 'admin',
    links: [
      { name: 'deliveries', route: 'deliveries', icon: Package },
      { name: 'sources', route: 'sources', icon: Warehouse },
      { name: 'customers', route: 'customers', icon: Store },
      {
        name: 'plannerSettings',
        route: 'systemSettings',
        icon: Settings,
        roles: 'transport_planner',
      },
      { name: 'queryLab', route: 'queryLab', icon: FlaskConical, roles: 'admin' },
    ],
  },
  {
    name: 'general',
    links: [
      { name: 'settings', route: 'adminUsers', icon: Settings, roles: 'admin' },
      { name: 'announcements', route: 'announcements', icon: Megaphone, roles: 'admin' },
    ],
  },
];

type HasRole = (roles: RoleCheck) => boolean;

/** Any link is for everyone, or the user holds the role of every restricted link. */
export function isGroupShown(group: DrawerGroup, hasRole: HasRole): boolean {
  return (
    group.links.some((link) => link.roles === undefined) ||
    group.links.every((link) => link.roles !== undefined && hasRole(link.roles))
  );
}

/** A link that would end on the forbidden page is none. */
function mayOpen(link: DrawerLink, hasRole: HasRole): boolean {
  const wanted = [link.roles, isRouteName(link.route) && navigationRecords[link.route].roles];
  return wanted.every((roles) => !roles || hasRole(roles));
}

export type VisibleLink = DrawerLink & { route: RouteName };
export interface VisibleGroup {
  name: string;
  links: VisibleLink[];
}

/** The groups and links a user sees: by group, by the roles of each link and its screen, by what exists. */
export function visibleGroups(
  hasRole: HasRole,
  groups: readonly DrawerGroup[] = drawerGroups,
  exists: (route: string) => boolean = isRouteName,
): VisibleGroup[] {
  return groups
    .filter((group) => isGroupShown(group, hasRole))
    .map((group) => ({
      name: group.name,
      links: group.links.filter(
        (link): link is VisibleLink => exists(link.route) && mayOpen(link, hasRole),
      ),
    }))
    .filter((group) => group.links.length > 0);
}
