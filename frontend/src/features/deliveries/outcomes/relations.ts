import type { Relation } from '../delivery-queries';

/** Who may take the goods, as the form offers them. */
export const RELATIONS: readonly Relation[] = [
  'recipient',
  'family',
  'colleague',
  'security',
  'neighbour',
  'safe_place',
  'mailbox',
  'pickup_point',
  'other',
];
