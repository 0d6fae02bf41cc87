import type { JobState } from '@/ui/statuses';

const STATES: readonly JobState[] = ['waiting', 'running', 'done', 'failed', 'cancelled'];

/** The state of a job; one of a newer server counts as running. */
export function jobState(text: string): JobState {
  return STATES.find((state) => state === text) ?? 'running';
}
