/**
 * Every named route that has a screen. It stands below the features, so that one feature can link to
 * another without importing it.
 */
export const routePaths = {
  login: '/login',
  createAdmin: '/auth/create-admin',
  forgotPassword: '/forgot-password',
  resetPassword: '/reset-password',
  register: '/admin/auth/register',
  health: '/health',
  forbidden: '/forbidden',
  account: '/account',
  dashboard: '/',
  report: '/report',
  queryLab: '/query-lab',
  deliveries: '/deliveries',
  viewDelivery: '/view-delivery/{deliveryId}',
  editDelivery: '/edit-delivery/{deliveryId}',
  editDeliveryItem: '/edit-delivery/{deliveryId}/edit-delivery-item/{itemNumber}',
  viewDeliveryItem: '/view-delivery-item/{deliveryId}/{itemNumber}',
  newDelivery: '/new-deliveries',
  newDeliveryItem: '/new-deliveries/add-delivery-item',
  forms: '/forms',
  viewForm: '/forms/{deliveryId}',
  deliveryStatusHistories: '/delivery-status-histories',
  customers: '/customers',
  viewCustomer: '/customer/{customerName}',
  editCustomer: '/edit-customer/{customerName}',
  sources: '/sources',
  viewSource: '/source/{sourceId}',
  editSource: '/edit-source/{sourceId}',
  newSource: '/new-source',
  uploadDeliveries: '/upload-deliveries',
  uploadedDetails: '/uploaded-details/{uploadLog}',
  drivers: '/drivers',
  newDriver: '/drivers/new',
  viewDriver: '/drivers/{driverId}',
  editDriver: '/drivers/{driverId}/edit',
  driverTrackerList: '/driver-tracker-list',
  driverTracker: '/driver-tracker/{driverId}',
  driverResetPassword: '/driver-reset-password',
  driverLogs: '/driver-logs',
  viewDriverActivityLog: '/view-driver-activity-log/{id}',
  systemSettings: '/system-settings',
  systemSetting: '/system-settings/{settingsId}',
  userResetPassword: '/user-reset-password',
  adminUsers: '/admin/settings/users',
  newUser: '/admin/settings/users/create-new-user',
  viewUser: '/admin/settings/users/{id}',
  editUserRoles: '/admin/settings/users-role/{id}',
  auditEntries: '/admin/settings/audit',
  adminSystemSettings: '/admin/settings/system-settings',
  adminSystemSetting: '/admin/settings/system-settings/{settingsId}',
  editLogo: '/admin/settings/edit-logo',
  reportSettings: '/admin/settings/reports',
  reportSetting: '/admin/settings/report/{id}',
  announcements: '/admin/announcements',
  newAnnouncement: '/admin/announcements/new',
  viewAnnouncement: '/admin/announcements/{id}',
  editAnnouncement: '/admin/announcements/{id}/edit',
} as const;

export type RoutePaths = typeof routePaths;
export type RouteName = keyof RoutePaths;

export function isRouteName(name: string): name is RouteName {
  return Object.hasOwn(routePaths, name);
}
