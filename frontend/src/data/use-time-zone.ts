import { useAuth } from '@/auth/use-auth';

/** Times are shown in the zone of the organisation, wherever the browser is. */
export function useTimeZone(): string {
  return useAuth().currentUser?.organization.timezone ?? 'UTC';
}
