import type { DeadLetterState } from '@/ui/statuses';

const STATES: readonly DeadLetterState[] = [
  'queued',
  'scheduled_retry',
  'failed',
  'success',
  'discarded',
];

/** The state of a letter; one of a newer server counts as failed, which somebody looks at. */
export function letterState(text: string): DeadLetterState {
  return STATES.find((state) => state === text) ?? 'failed';
}
