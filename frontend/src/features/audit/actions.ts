/** What is written down. Each has its words in the texts; one the server adds later shows as it is. */
export const AUDIT_ACTIONS = [
  'admin.created',
  'user.created',
  'user.signed_up',
  'user.updated',
  'user.roles_changed',
  'user.status_changed',
  'user.reset_link_created',
  'user.password_reset',
  'user.password_changed',
  'user.sessions_ended',
  'session.ended',
  'driver_account.created',
  'driver_account.updated',
  'driver_account.blocked',
  'driver_account.unblocked',
  'driver_account.reset_link_created',
  'driver_account.pin_set',
  'driver.created',
  'driver.updated',
  'driver.blocked',
  'driver.unblocked',
  'device.paired',
  'device.unpaired',
  'setting.updated',
  'logo.updated',
  'announcement.created',
  'announcement.updated',
  'announcement.deleted',
  'report_setting.created',
  'report_setting.updated',
  'report_setting.deleted',
  'reason.updated',
  'customer.updated',
  'source.created',
  'source.updated',
  'import.started',
  'import.undone',
  'dead_letter.resent',
  'dead_letter.discarded',
  'endpoint.created',
  'endpoint.updated',
  'endpoint.deleted',
  'endpoint.rotated',
  'endpoint.resumed',
  'deliveries.exported',
  'driver_positions.exported',
  'forms.exported',
  'proof.viewed',
  'driver_location.viewed',
  'driver_log.viewed',
] as const;

export const AUDIT_ENTITIES = [
  'user',
  'driver_account',
  'session',
  'driver',
  'device',
  'setting',
  'logo',
  'announcement',
  'report_setting',
  'delivery',
  'reason',
  'customer',
  'source',
  'import',
  'dead_letter',
  'endpoint',
] as const;

/** Whether an act changed nothing: then the entry tells what was asked for. */
export function isReading(action: string): boolean {
  return action.endsWith('.exported') || action.endsWith('.viewed');
}

/** The key of an action's words; a dot would lead into the texts. */
export function actionKey(action: string): string {
  return `audit:actions.${action.replace('.', '_')}`;
}
