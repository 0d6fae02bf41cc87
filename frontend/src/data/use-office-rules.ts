import { DEFAULT_RULES, type OfficeRules } from '@/auth/current-user';
import { useAuth } from '@/auth/use-auth';

/** The rules of the office as they are now; they follow the settings while the page is open. */
export function useOfficeRules(): OfficeRules {
  return useAuth().currentUser?.settings ?? DEFAULT_RULES;
}
