import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';

/** Returns the name of a role for people; a role this release does not know keeps its id. */
export function useRoleName(): (role: string) => string {
  const { t } = useTranslation('common');
  return useCallback((role) => t(`role.${role}`, { defaultValue: role }), [t]);
}
