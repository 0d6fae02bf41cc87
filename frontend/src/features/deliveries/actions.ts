import type { Delivery, DeliveryAction } from './delivery-queries';

/** Where each allowed action is placed. The server decides which actions are allowed. */
export interface ActionLayout {
  primary: DeliveryAction | undefined;
  buttons: DeliveryAction[];
  menu: DeliveryAction[];
}

/** The first allowed action becomes the primary button. */
const byUrgency: readonly DeliveryAction[] = [
  'complete',
  'reschedule',
  'correct_lines',
  'reopen',
  'edit',
];
/** Actions shown as buttons unless they are primary. `edit` covers items, so `edit_items` has no button. */
const asButtons: readonly DeliveryAction[] = ['print', 'edit'];
const inMenu: readonly DeliveryAction[] = [
  'complete',
  'mark_undelivered',
  'reject',
  'reschedule',
  'refuse_after_attempt',
  'assign_driver',
  'add_evidence',
  'correct_lines',
  'correct_status',
  'reopen',
];

export function layOut({ allowedActions }: Pick<Delivery, 'allowedActions'>): ActionLayout {
  const isAllowed = (action: DeliveryAction) => allowedActions.includes(action);
  const primary = byUrgency.find(isAllowed);
  const rest = (actions: readonly DeliveryAction[]) =>
    actions.filter((action) => isAllowed(action) && action !== primary);
  return { primary, buttons: rest(asButtons), menu: rest(inMenu) };
}
