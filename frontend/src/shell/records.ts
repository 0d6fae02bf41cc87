import { OFFICE_ROLES, type RoleCheck, WRITE_ROLES } from '@/auth/roles';
import type { TextKey } from '@/i18n/texts';
import { type RouteName, routePaths } from '@/routing/route-paths';

export interface QuickSearchInfo {
  /** The field that gets the "contains" filter. */
  key: string;
  label: TextKey;
  placeholder: TextKey;
  /** The list that is filtered. */
  route: RouteName;
  /** Tabs of this page with lists of their own. The search leaves other tabs for the first list. */
  tabs?: readonly string[];
}

/** A screen as the shell knows it. */
export interface NavigationRecord {
  name: RouteName;
  path: string;
  title: TextKey;
  subtitle: TextKey;
  parent?: RouteName;
  /** The screen whose drawer link is highlighted for this one. */
  section?: RouteName;
  roles?: RoleCheck;
  quickSearch?: QuickSearchInfo;
}

type Extras = Pick<NavigationRecord, 'parent' | 'section' | 'roles' | 'quickSearch'>;

const deliverySearch: QuickSearchInfo = {
  key: 'id',
  label: 'navigation:quickSearch.deliveryDoc.label',
  placeholder: 'navigation:quickSearch.deliveryDoc.placeholder',
  route: 'deliveries',
};

const formSearch: QuickSearchInfo = { ...deliverySearch, route: 'forms' };

const historySearch: QuickSearchInfo = {
  ...deliverySearch,
  key: 'deliveryId',
  route: 'deliveryStatusHistories',
};

const deadLetterSearch: QuickSearchInfo = {
  ...deliverySearch,
  key: 'deliveryId',
  route: 'deadLetters',
  tabs: ['sent'],
};

const customerSearch: QuickSearchInfo = {
  key: 'customerName',
  label: 'navigation:quickSearch.customerName.label',
  placeholder: 'navigation:quickSearch.customerName.placeholder',
  route: 'customers',
};

const sourceSearch: QuickSearchInfo = {
  key: 'name',
  label: 'navigation:quickSearch.sourceName.label',
  placeholder: 'navigation:quickSearch.sourceName.placeholder',
  route: 'sources',
};

const driverAccountSearch: QuickSearchInfo = {
  key: 'username',
  label: 'navigation:quickSearch.username.label',
  placeholder: 'navigation:quickSearch.username.placeholder',
  route: 'driverResetPassword',
};

const driverSearch: QuickSearchInfo = {
  key: 'name',
  label: 'navigation:quickSearch.driverName.label',
  placeholder: 'navigation:quickSearch.driverName.placeholder',
  route: 'drivers',
};

const driverTrackerSearch: QuickSearchInfo = { ...driverSearch, route: 'driverTrackerList' };

const driverLogSearch: QuickSearchInfo = {
  ...deliverySearch,
  key: 'deliveryId',
  route: 'driverLogs',
};

/** The first record whose path matches is used, so fixed paths must come before paths with a parameter. */
const extras: Record<RouteName, Extras> = {
  login: {},
  createAdmin: {},
  forgotPassword: {},
  resetPassword: {},
  register: {},
  health: {},
  forbidden: {},
  account: {},
  thirdPartyNotices: { parent: 'account' },
  dashboard: { roles: OFFICE_ROLES },
  report: { roles: OFFICE_ROLES },
  queryLab: { roles: 'admin' },
  deliveries: { roles: OFFICE_ROLES, quickSearch: deliverySearch },
  viewDelivery: { parent: 'deliveries', roles: OFFICE_ROLES, quickSearch: deliverySearch },
  editDelivery: { parent: 'deliveries', roles: WRITE_ROLES },
  editDeliveryItem: { parent: 'deliveries', roles: WRITE_ROLES },
  viewDeliveryItem: { parent: 'deliveries', roles: OFFICE_ROLES, quickSearch: deliverySearch },
  newDelivery: { parent: 'deliveries', roles: WRITE_ROLES },
  newDeliveryItem: { parent: 'newDelivery', roles: WRITE_ROLES },
  forms: { roles: OFFICE_ROLES, quickSearch: formSearch },
  viewForm: { parent: 'forms', roles: OFFICE_ROLES, quickSearch: formSearch },
  deliveryStatusHistories: { roles: OFFICE_ROLES, quickSearch: historySearch },
  customers: { roles: OFFICE_ROLES, quickSearch: customerSearch },
  viewCustomer: { parent: 'customers', roles: OFFICE_ROLES, quickSearch: customerSearch },
  editCustomer: { parent: 'customers', roles: WRITE_ROLES },
  sources: { roles: OFFICE_ROLES, quickSearch: sourceSearch },
  viewSource: { parent: 'sources', roles: OFFICE_ROLES, quickSearch: sourceSearch },
  editSource: { parent: 'sources', roles: WRITE_ROLES },
  newSource: { parent: 'sources', roles: WRITE_ROLES },
  uploadDeliveries: { roles: WRITE_ROLES },
  uploadedDetails: { parent: 'uploadDeliveries', roles: OFFICE_ROLES },
  drivers: { roles: OFFICE_ROLES, quickSearch: driverSearch },
  newDriver: { parent: 'drivers', roles: WRITE_ROLES },
  viewDriver: { parent: 'drivers', roles: OFFICE_ROLES, quickSearch: driverSearch },
  editDriver: { parent: 'drivers', roles: WRITE_ROLES },
  driverTrackerList: { roles: OFFICE_ROLES, quickSearch: driverTrackerSearch },
  driverTracker: {
    parent: 'driverTrackerList',
    roles: OFFICE_ROLES,
    quickSearch: driverTrackerSearch,
  },
  driverResetPassword: { roles: WRITE_ROLES, quickSearch: driverAccountSearch },
  driverLogs: { roles: OFFICE_ROLES, quickSearch: driverLogSearch },
  viewDriverActivityLog: { parent: 'driverLogs', roles: OFFICE_ROLES },
  systemSettings: { roles: 'transport_planner' },
  systemSetting: { parent: 'systemSettings', roles: 'transport_planner' },
  userResetPassword: { roles: 'admin' },
  adminUsers: { roles: 'admin' },
  newUser: { parent: 'adminUsers', roles: 'admin' },
  viewUser: { parent: 'adminUsers', roles: 'admin' },
  editUserRoles: { parent: 'adminUsers', roles: 'admin' },
  auditEntries: { parent: 'adminUsers', roles: 'admin' },
  adminSystemSettings: { section: 'adminUsers', roles: 'admin' },
  adminSystemSetting: { parent: 'adminSystemSettings', roles: 'admin' },
  deadLetters: { section: 'adminUsers', roles: 'admin', quickSearch: deadLetterSearch },
  deadLetter: { parent: 'deadLetters', roles: 'admin' },
  editLogo: { section: 'adminUsers', roles: 'admin' },
  reportSettings: { section: 'adminUsers', roles: 'admin' },
  reportSetting: { parent: 'reportSettings', roles: 'admin' },
  announcements: { roles: 'admin' },
  newAnnouncement: { parent: 'announcements', roles: 'admin' },
  viewAnnouncement: { parent: 'announcements', roles: 'admin' },
  editAnnouncement: { parent: 'announcements', roles: 'admin' },
};

const names = Object.keys(extras) as RouteName[];

export const navigationRecords = Object.fromEntries(
  names.map((name): [RouteName, NavigationRecord] => [
    name,
    {
      name,
      path: routePaths[name],
      title: `navigation:pages.${name}.title`,
      subtitle: `navigation:pages.${name}.subtitle`,
      ...extras[name],
    },
  ]),
) as Record<RouteName, NavigationRecord>;

/** Returns the record followed by its ancestors, nearest first. */
export function withParents(record: NavigationRecord | undefined): NavigationRecord[] {
  const trail: NavigationRecord[] = [];
  for (let at = record; at; at = at.parent && navigationRecords[at.parent]) trail.push(at);
  return trail;
}
