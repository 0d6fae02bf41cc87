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
] as const;

export const AUDIT_ENTITIES = ['user', 'driver_account', 'session'] as const;

/** The key of an action's words; a dot would lead into the texts. */
export function actionKey(action: string): string {
  return `audit:actions.${action.replace('.', '_')}`;
}
