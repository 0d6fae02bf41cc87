// Lists the looks: screens, and what lies over a screen or replaces it. Tests photograph each look and check
// it with axe, in both themes and both sizes. `looks-reporter.ts` fails a run that leaves one out.
import { matchPath } from '../../frontend/src/routing/paths.ts';
import { routePaths, type RouteName } from '../../frontend/src/routing/route-paths.ts';

export type Screen = RouteName | 'notFound';
export type Size = 'desktop' | 'mobile';

export const THEMES = ['light', 'dark'] as const;
const BOTH: readonly Size[] = ['desktop', 'mobile'];

/** The look of each screen. A route without a row does not compile. */
export const SCREENS = {
  login: 'login',
  createAdmin: 'create-admin',
  forgotPassword: 'forgot-password',
  resetPassword: 'reset-pin',
  register: 'register-off',
  health: 'health',
  forbidden: 'forbidden',
  notFound: 'not-found',
  account: 'account',
  thirdPartyNotices: 'third-party-notices',
  dashboard: 'dashboard',
  report: 'report',
  queryLab: 'query-lab',
  deliveries: 'deliveries',
  viewDelivery: 'delivery',
  editDelivery: 'delivery-edit',
  editDeliveryItem: 'delivery-item-edit',
  viewDeliveryItem: 'delivery-item',
  newDelivery: 'delivery-new',
  newDeliveryItem: 'delivery-item-new',
  forms: 'forms',
  viewForm: 'delivery-form',
  deliveryStatusHistories: 'status-histories',
  customers: 'customers',
  viewCustomer: 'customer',
  editCustomer: 'customer-edit',
  sources: 'sources',
  viewSource: 'source',
  editSource: 'source-edit',
  newSource: 'source-new',
  uploadDeliveries: 'import',
  uploadedDetails: 'import-refused',
  drivers: 'drivers',
  newDriver: 'driver-new',
  viewDriver: 'driver',
  editDriver: 'driver-edit',
  driverTrackerList: 'driver-tracker',
  driverTracker: 'driver-trail',
  driverResetPassword: 'driver-reset-password',
  driverLogs: 'driver-logs',
  viewDriverActivityLog: 'driver-log-entry',
  systemSettings: 'settings-planner',
  systemSetting: 'setting-planner',
  userResetPassword: 'user-reset-password',
  adminUsers: 'users',
  newUser: 'user-new',
  viewUser: 'user',
  editUserRoles: 'user-roles',
  auditEntries: 'audit',
  adminSystemSettings: 'settings',
  adminSystemSetting: 'setting-date',
  deadLetters: 'dead-letters',
  deadLetter: 'dead-letter',
  editLogo: 'logo',
  reportSettings: 'report-settings',
  reportSetting: 'report-setting',
  announcements: 'announcements',
  newAnnouncement: 'announcement-new',
  viewAnnouncement: 'announcement',
  editAnnouncement: 'announcement-edit',
} as const satisfies Record<Screen, string>;

interface State {
  on: Screen;
  /**
   * The sizes in which to take the look, by default both. Only one, if the other size has no such look or does not
   * differ.
   */
  sizes?: readonly Size[];
}

const WIDE = ['desktop'] as const;
const NARROW = ['mobile'] as const;

/** Dialogs, menus and banners, and lists and pages that are empty or failed to load. */
const STATES = {
  'announcements-bell': { on: 'deliveries' },
  'dead-letters-endpoints': { on: 'deadLetters' },
  'dead-letters-endpoint-form': { on: 'deadLetters' },
  'dead-letters-list': { on: 'deadLetters' },
  'dead-letters-producer-form': { on: 'deadLetters' },
  'dead-letters-receipt': { on: 'deadLetters' },
  'dead-letters-canceled': { on: 'deadLetters' },
  'dead-letter-changes': { on: 'deadLetter' },
  'dead-letters-resend': { on: 'deadLetters' },
  // Wide screens only: a narrow screen shows cards, and clears the selection that these looks need.
  'deliveries-all-counted': { on: 'deliveries', sizes: WIDE },
  'deliveries-all-receipt': { on: 'deliveries', sizes: WIDE },
  'deliveries-all-selected': { on: 'deliveries', sizes: WIDE },
  'deliveries-assign': { on: 'deliveries', sizes: WIDE },
  'deliveries-bulk-result': { on: 'deliveries', sizes: WIDE },
  'deliveries-columns': { on: 'deliveries', sizes: WIDE },
  'deliveries-density': { on: 'deliveries', sizes: WIDE },
  'deliveries-empty': { on: 'deliveries' },
  'deliveries-error': { on: 'deliveries', sizes: WIDE },
  'deliveries-filtered': { on: 'deliveries' },
  'deliveries-loading': { on: 'deliveries', sizes: WIDE },
  'deliveries-no-match': { on: 'deliveries' },
  'deliveries-stale': { on: 'deliveries', sizes: WIDE },
  'delivery-complete': { on: 'editDelivery' },
  'delivery-missing': { on: 'viewDelivery' },
  'driver-block': { on: 'drivers' },
  'driver-tracker-streets': { on: 'driverTrackerList', sizes: WIDE },
  'driver-tracker-table': { on: 'driverTrackerList', sizes: WIDE },
  'driver-trail-table': { on: 'driverTracker', sizes: WIDE },
  'drivers-pairing': { on: 'drivers' },
  fatal: { on: 'sources' },
  'filter-customer': { on: 'deliveries' },
  'filter-dates': { on: 'deliveries' },
  'filter-menu': { on: 'deliveries' },
  'import-checked': { on: 'uploadedDetails' },
  'import-correct': { on: 'uploadedDetails' },
  'import-failed': { on: 'uploadedDetails' },
  'import-items-result': { on: 'uploadedDetails' },
  'import-items-sheet': { on: 'uploadedDetails' },
  'import-match-columns': { on: 'uploadedDetails' },
  'import-match-defaults': { on: 'uploadedDetails' },
  'import-match-values': { on: 'uploadedDetails' },
  'import-review': { on: 'uploadedDetails' },
  'import-review-all': { on: 'uploadedDetails' },
  'import-running': { on: 'uploadedDetails' },
  'import-saved-mapping': { on: 'uploadedDetails' },
  'import-saved-mappings': { on: 'uploadedDetails' },
  'import-undo-question': { on: 'uploadedDetails' },
  'import-undoable': { on: 'uploadedDetails' },
  'import-undone': { on: 'uploadedDetails' },
  'import-warnings': { on: 'uploadedDetails' },
  'import-upload-failed': { on: 'uploadDeliveries', sizes: WIDE },
  menu: { on: 'deliveries', sizes: NARROW },
  'news-banner': { on: 'deliveries' },
  'news-banner-long': { on: 'deliveries', sizes: NARROW },
  'page-failure': { on: 'customers', sizes: WIDE },
  // On the previous screen, because the address changes only when the next page has loaded.
  'page-loading': { on: 'deliveries', sizes: WIDE },
  palette: { on: 'uploadDeliveries' },
  'quick-search': { on: 'deliveries', sizes: NARROW },
  'query-lab-json': { on: 'queryLab', sizes: WIDE },
  'query-lab-saved': { on: 'queryLab', sizes: WIDE },
  'query-lab-shared': { on: 'queryLab' },
  'report-saved': { on: 'report' },
  'report-setting-conflict': { on: 'reportSetting' },
  'report-schedule': { on: 'reportSetting' },
  'report-schedule-dialog': { on: 'reportSetting' },
  'setting-yes-no': { on: 'adminSystemSetting' },
  shortcuts: { on: 'deliveries', sizes: WIDE },
} as const satisfies Record<string, State>;

export type LookName = (typeof SCREENS)[Screen] | keyof typeof STATES;

const TABLE = new Map<string, Required<State>>([
  ...Object.entries(SCREENS).map(([on, name]) => [name, { on: on as Screen, sizes: BOTH }] as const),
  ...Object.entries<State>(STATES).map(([name, { on, sizes = BOTH }]) => [name, { on, sizes }] as const),
]);

/** Returns the screen that a look belongs to. */
export const screenOf = (name: LookName): Screen => TABLE.get(name)!.on;

/** Returns the screen at a path. A path without parameters takes precedence over one with parameters. */
export function screenAt(pathname: string): Screen {
  const names = Object.keys(routePaths) as RouteName[];
  const exact = names.find((name) => routePaths[name] === pathname);
  return exact ?? names.find((name) => matchPath(routePaths[name], pathname).match) ?? 'notFound';
}

export const lookId = (name: string, size: Size, theme: string) => `${name} (${size}, ${theme})`;

/** Returns the ids of all looks, each of which a whole run takes exactly once. */
export function everyLook(): string[] {
  return [...TABLE].flatMap(([name, { sizes }]) =>
    sizes.flatMap((size) => THEMES.map((theme) => lookId(name, size, theme))),
  );
}
