/** What an endpoint can take. */
export const SENT_METHODS = [
  'create',
  'update',
  'status',
  'variance',
  'form',
  'cancel',
  'correction',
] as const;

/** The same, and an event that a part of the product gave up. */
export const METHODS = [...SENT_METHODS, 'event'] as const;
