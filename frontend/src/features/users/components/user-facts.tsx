import { useTranslation } from 'react-i18next';
import { useTimeZone } from '@/data/use-time-zone';
import { formatAgo, formatDateTime } from '@/lib/dates';
import { Fact, Facts } from '@/ui/facts';
import { Panel } from '@/ui/panel';
import { StatusChip } from '@/ui/status-chip';
import type { User } from '../queries';
import { RoleTags } from './role-tags';

export function UserFacts({ user }: { user: User }) {
  const { t } = useTranslation(['users', 'common']);
  const timeZone = useTimeZone();
  const { lastLoginAt } = user;
  const byAt = (by: string, at: string) => (
    <>
      <time dateTime={at} title={formatAgo(at)} className="whitespace-nowrap tabular-nums">
        {formatDateTime(at, timeZone)}
      </time>
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
              <time
                dateTime={lastLoginAt}
                title={formatAgo(lastLoginAt)}
                className="tabular-nums"
              >
                {formatDateTime(lastLoginAt, timeZone)}
              </time>
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
