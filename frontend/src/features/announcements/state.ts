import type { AnnouncementState } from '@/ui/statuses';
import type { Announcement } from './queries';

export const STATES = ['active', 'scheduled', 'ended', 'off'] as const satisfies readonly AnnouncementState[];

type Window = Pick<Announcement, 'isActive' | 'startsAt' | 'endsAt'>;

/** What the filter `state` of the server says too: the start is part of the window, the end is not. */
export function announcementState(
  { isActive, startsAt, endsAt }: Window,
  now: number = Date.now(),
): AnnouncementState {
  if (!isActive) return 'off';
  if (endsAt && Date.parse(endsAt) <= now) return 'ended';
  return Date.parse(startsAt) > now ? 'scheduled' : 'active';
}
