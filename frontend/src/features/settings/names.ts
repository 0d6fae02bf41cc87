export const SYSTEM_SETTINGS = 'system-settings';
export const ADMIN_SYSTEM_SETTINGS = 'admin-system-settings';
