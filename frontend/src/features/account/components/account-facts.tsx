import { ShieldCheck } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useAuth } from '@/auth/use-auth';
import { useRoleName } from '@/auth/use-role-name';
import { Avatar } from '@/ui/avatar';
import { Fact, Facts } from '@/ui/facts';
import { Panel } from '@/ui/panel';
import { Tag } from '@/ui/tag';

/** What the office knows the user as. An administrator changes it. */
export function AccountFacts() {
  const { t } = useTranslation(['account', 'common']);
  const { currentUser } = useAuth();
  const roleName = useRoleName();
  if (!currentUser) return null;
  const { username, displayName, email, organization } = currentUser;
  const roles = [currentUser.roles].flat();
  const none = t('none', { ns: 'common' });
  return (
    <Panel aria-label={t('facts.title')} className="p-4">
      <div className="mb-4 flex items-center gap-2.5">
        <Avatar name={username} />
        <span className="min-w-0 text-base font-semibold wrap-anywhere">{username}</span>
      </div>
      <Facts columns={2}>
        <Fact label={t('facts.displayName')} value={displayName} empty={none} />
        <Fact label={t('facts.email')} value={email} empty={none} />
        <Fact label={t('facts.organization')} value={organization.name} />
        <Fact
          label={t('facts.roles')}
          empty={none}
          value={
            roles.length > 0 ? (
              <span className="flex flex-wrap gap-1">
                {roles.map((role) =>
                  role === 'admin' ? (
                    <Tag key={role} tone="accent" icon={ShieldCheck}>
                      {roleName(role)}
                    </Tag>
                  ) : (
                    <Tag key={role}>{roleName(role)}</Tag>
                  ),
                )}
              </span>
            ) : null
          }
        />
      </Facts>
      <p className="mt-4 border-t border-line pt-3 text-xs text-muted">
        {t(roles.length > 0 ? 'facts.change' : 'facts.noRole')}
      </p>
    </Panel>
  );
}
