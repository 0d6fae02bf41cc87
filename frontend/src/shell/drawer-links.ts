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
import type { TextKey } from '@/i18n/texts';
import { isRouteName, type RouteName } from '@/routing/route-paths';
import { navigationRecords } from './records';

/** Side menu of the admin settings; a link is hidden until its screen exists. */
export const settingsGroups: readonly DrawerGroup[] = [
  {
    name: 'permissions',
    label: 'navigation:settingsGroups.permissions',
    links: [
      { name: 'users', label: 'navigation:settingsLinks.users', route: 'adminUsers', icon: Users },
      { name: 'system', label: 'navigation:settingsLinks.system', route: 'adminSystemSettings', icon: Settings },
      { name: 'report', label: 'navigation:settingsLinks.report', route: 'reportSettings', icon: ChartColumn },
    ],
  },
  {
    name: 'actions',
    label: 'navigation:settingsGroups.actions',
    links: [
      { name: 'deadLetters', label: 'navigation:settingsLinks.deadLetters', route: 'deadLetters', icon: Inbox },
      { name: 'editLogo', label: 'navigation:settingsLinks.editLogo', route: 'editLogo', icon: Image },
    ],
  },
];

export interface DrawerLink {
  name: string;
  label: TextKey;
  /** Target route; the link is hidden while no screen has that name. */
  route: string;
  icon: LucideIcon;
  roles?: RoleCheck;
}

export interface DrawerGroup {
  name: string;
  label: TextKey;
  links: readonly DrawerLink[];
}

export const drawerGroups: readonly DrawerGroup[] = [
  {
    name: 'main',
    label: 'navigation:groups.main',
    links: [
      { name: 'dashboard', label: 'navigation:links.dashboard', route: 'dashboard', icon: LayoutDashboard },
      { name: 'import', label: 'navigation:links.import', route: 'uploadDeliveries', icon: Upload },
      { name: 'reports', label: 'navigation:links.reports', route: 'report', icon: ChartColumn },
      { name: 'forms', label: 'navigation:links.forms', route: 'forms', icon: ClipboardList },
      { name: 'drivers', label: 'navigation:links.drivers', route: 'drivers', icon: Users },
      { name: 'driverTracker', label: 'navigation:links.driverTracker', route: 'driverTrackerList', icon: MapPin },
      { name: 'driversResetPassword', label: 'navigation:links.driversResetPassword', route: 'driverResetPassword', icon: KeyRound },
      { name: 'userResetPassword', label: 'navigation:links.userResetPassword', route: 'userResetPassword', icon: UserCog, roles: 'admin' },
      { name: 'deliveryStatusHistory', label: 'navigation:links.deliveryStatusHistory', route: 'deliveryStatusHistories', icon: History },
      { name: 'driverLog', label: 'navigation:links.driverLog', route: 'driverLogs', icon: ScrollText },
    ],
  },
  {
    name: 'admin',
    label: 'navigation:groups.admin',
    links: [
      { name: 'deliveries', label: 'navigation:links.deliveries', route: 'deliveries', icon: Package },
      { name: 'sources', label: 'navigation:links.sources', route: 'sources', icon: Warehouse },
      { name: 'customers', label: 'navigation:links.customers', route: 'customers', icon: Store },
      {
        name: 'plannerSettings',
        label: 'navigation:links.plannerSettings',
        route: 'systemSettings',
        icon: Settings,
        roles: 'transport_planner',
      },
      { name: 'queryLab', label: 'navigation:links.queryLab', route: 'queryLab', icon: FlaskConical, roles: 'admin' },
    ],
  },
  {
    name: 'general',
    label: 'navigation:groups.general',
    links: [
      { name: 'settings', label: 'navigation:links.settings', route: 'adminUsers', icon: Settings, roles: 'admin' },
      { name: 'announcements', label: 'navigation:links.announcements', route: 'announcements', icon: Megaphone, roles: 'admin' },
    ],
  },
];

type HasRole = (roles: RoleCheck) => boolean;

/**
 * Whether a group is shown: one of its links is open to everyone, or the user has the roles of all its restricted
 * links.
 */
export function isGroupShown(group: DrawerGroup, hasRole: HasRole): boolean {
  return (
    group.links.some((link) => link.roles === undefined) ||
    group.links.every((link) => link.roles !== undefined && hasRole(link.roles))
  );
}

/** Hides links that would lead to the forbidden page. */
function mayOpen(link: DrawerLink, hasRole: HasRole): boolean {
  const wanted = [link.roles, isRouteName(link.route) && navigationRecords[link.route].roles];
  return wanted.every((roles) => !roles || hasRole(roles));
}

export type VisibleLink = DrawerLink & { route: RouteName };
export interface VisibleGroup {
  name: string;
  label: TextKey;
  links: VisibleLink[];
}

/**
 * Returns the groups and links that a user sees. This depends on the roles of group, link and screen, and on which
 * screens exist.
 */
export function visibleGroups(
  hasRole: HasRole,
  groups: readonly DrawerGroup[] = drawerGroups,
  exists: (route: string) => boolean = isRouteName,
): VisibleGroup[] {
  return groups
    .filter((group) => isGroupShown(group, hasRole))
    .map((group) => ({
      ...group,
      links: group.links.filter(
        (link): link is VisibleLink => exists(link.route) && mayOpen(link, hasRole),
      ),
    }))
    .filter((group) => group.links.length > 0);
}
