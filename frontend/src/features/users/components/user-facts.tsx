import { useTranslation } from 'react-i18next';
import { DateTime } from '@/ui/date-time';
import { Fact, Facts } from '@/ui/facts';
import { Panel } from '@/ui/panel';
import { StatusChip } from '@/ui/status-chip';
import type { User } from '../queries';
import { RoleTags } from './role-tags';

export function UserFacts({ user }: { user: User }) {
  const { t } = useTranslation(['users', 'common']);
  const { lastLoginAt } = user;
  const byAt = (by: string, at: string) => (
    <>
      <DateTime instant={at} className="whitespace-nowrap" />
      <span className="block text-xs text-muted">{t('view.by', { by })}</span>
    </>
  );
  return (
    <Panel aria-label={t('view.facts')} className="p-4">
      <Facts columns={3}>
        <Fact
          label={t('fields.status')}
          value={<StatusChip kind="user" status={user.status} />}
        />
        <Fact label={t('fields.roles')} value={<RoleTags roles={user.roles} />} />
        <Fact
          label={t('fields.lastLoginAt')}
          value={
            lastLoginAt && (
              <DateTime instant={lastLoginAt} />
            )
          }
          empty={t('never', { ns: 'common' })}
        />
        <Fact label={t('fields.email')} value={user.email} />
        <Fact label={t('fields.createdAt')} value={byAt(user.createdBy, user.createdAt)} />
        <Fact label={t('fields.updatedAt')} value={byAt(user.updatedBy, user.updatedAt)} />
      </Facts>
    </Panel>
  );
}
