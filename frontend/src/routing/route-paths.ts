/**
 * Every named route that has a screen. It stands below the features, so that one feature can link to
 * another without importing it.
 */
export const routePaths = {
  login: '/login',
  createAdmin: '/auth/create-admin',
  health: '/health',
  forbidden: '/forbidden',
  deliveries: '/deliveries',
  viewDelivery: '/view-delivery/{deliveryId}',
  uploadDeliveries: '/upload-deliveries',
  uploadedDetails: '/uploaded-details/{uploadLog}',
} as const;

export type RoutePaths = typeof routePaths;
export type RouteName = keyof RoutePaths;

export function isRouteName(name: string): name is RouteName {
  return Object.hasOwn(routePaths, name);
}
