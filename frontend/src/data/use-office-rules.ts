import { DEFAULT_RULES, type OfficeRules } from '@/auth/current-user';
import { useAuth } from '@/auth/use-auth';

/** Returns the organization-wide rules. They change with the settings, even while the page is open. */
export function useOfficeRules(): OfficeRules {
  return useAuth().currentUser?.settings ?? DEFAULT_RULES;
}
