import type { Delivery, DeliveryAction } from './delivery-queries';

/** Which of the allowed actions stand where. The server alone decides which those are. */
export interface ActionLayout {
  primary: DeliveryAction | undefined;
  buttons: DeliveryAction[];
  menu: DeliveryAction[];
}

/** The first one allowed is what somebody most likely came to do. */
const byUrgency: readonly DeliveryAction[] = [
  'complete',
  'reschedule',
  'correct_lines',
  'reopen',
  'edit',
];
/** In sight, unless it is the primary one. Items are edited beside the rest of the delivery. */
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
