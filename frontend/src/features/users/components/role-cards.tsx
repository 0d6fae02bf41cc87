import { ShieldCheck } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { OFFICE_ROLES, type Role } from '@/auth/roles';
import { useRoleName } from '@/auth/use-role-name';
import { CheckboxCard, CheckboxCardGroup } from '@/ui/checkbox-card';

interface RoleCardsProps {
  roles: readonly string[];
  /** Why the role admin cannot be taken away. */
  adminLockedBecause?: string | undefined;
  hint?: string;
  error?: string | undefined;
  onChange: (roles: Role[]) => void;
}

export function RoleCards({ roles, adminLockedBecause, hint, error, onChange }: RoleCardsProps) {
  const { t } = useTranslation('users');
  const roleName = useRoleName();

  function toggle(role: Role) {
    onChange(OFFICE_ROLES.filter((entry) => roles.includes(entry) !== (entry === role)));
  }

  return (
    <CheckboxCardGroup legend={t('fields.roles')} hint={hint} error={error}>
      {OFFICE_ROLES.map((role) => (
        <CheckboxCard
          key={role}
          name="roles"
          value={role}
          label={roleName(role)}
          text={
            <>
              <code>{role}</code> · {t(`roles.${role}.text`)}
            </>
          }
          icon={role === 'admin' ? ShieldCheck : undefined}
          lockedBecause={role === 'admin' ? adminLockedBecause : undefined}
          checked={roles.includes(role)}
          onChange={() => toggle(role)}
        />
      ))}
    </CheckboxCardGroup>
  );
}
