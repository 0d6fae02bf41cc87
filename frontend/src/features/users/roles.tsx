import { ShieldCheck } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { OFFICE_ROLES, type Role } from '@/auth/roles';
import { useRoleName } from '@/auth/use-auth';
import { CheckboxCard, CheckboxCardGroup } from '@/ui/checkbox';
import { Tag } from '@/ui/tag';

/** Sorts roles by privilege, so that Administrator stays visible if only one role fits. */
function byWeight(roles: readonly string[]): string[] {
  const weight = (role: string) => (OFFICE_ROLES as readonly string[]).indexOf(role);
  return roles.toSorted((one, other) => weight(one) - weight(other));
}

export function sameRoles(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((role) => other.includes(role));
}

interface RoleTagsProps {
  roles: readonly string[];
  /** The maximum number of tags. If there are more roles, the last tag shows how many and lists them. */
  room?: number;
}

export function RoleTags({ roles, room = Infinity }: RoleTagsProps) {
  const { t } = useTranslation('users');
  const roleName = useRoleName();
  if (roles.length === 0) return <span className="text-muted">{t('roles.none')}</span>;
  const sorted = byWeight(roles);
  const shown = sorted.length > room ? room - 1 : sorted.length;
  const rest = sorted.slice(shown).map(roleName);
  return (
    <span className="inline-flex flex-wrap items-center gap-1">
      {sorted.slice(0, shown).map((role) =>
        role === 'admin' ? (
          <Tag key={role} tone="accent" icon={ShieldCheck}>
            {roleName(role)}
          </Tag>
        ) : (
          <Tag key={role}>{roleName(role)}</Tag>
        ),
      )}
      {rest.length > 0 && (
        <span data-tip={rest.join(', ')}>
          <Tag>
            <span aria-hidden>+{rest.length}</span>
            <span className="sr-only">{rest.join(', ')}</span>
          </Tag>
        </span>
      )}
    </span>
  );
}

interface RoleCardsProps {
  roles: readonly string[];
  /** The reason why the Administrator role cannot be removed. */
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
