import { useAuth } from '@/auth/use-auth';

/** Returns the organization's time zone, in which all times are shown, wherever the browser is. */
export function useTimeZone(): string {
  return useAuth().currentUser?.organization.timezone ?? 'UTC';
}
