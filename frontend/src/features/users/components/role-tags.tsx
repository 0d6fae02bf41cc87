import { ShieldCheck } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useRoleName } from '@/auth/use-role-name';
import { Tag } from '@/ui/tag';
import { byWeight } from '../roles';

interface RoleTagsProps {
  roles: readonly string[];
  /** Room for so many tags only; the last of them is then a number with the other names behind it. */
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
