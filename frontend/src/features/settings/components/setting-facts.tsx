import { useTranslation } from 'react-i18next';
import { useTimeZone } from '@/data/use-time-zone';
import { formatAgo, formatDateTime } from '@/lib/dates';
import { Fact, Facts } from '@/ui/facts';
import { Panel } from '@/ui/panel';
import { Tag } from '@/ui/tag';
import type { Setting } from '../queries';
import { settingText } from '../setting-text';

/** What is saved, and who saved it last. */
export function SettingFacts({ setting }: { setting: Setting }) {
  const { t } = useTranslation(['settings', 'common']);
  const timeZone = useTimeZone();
  const { type, group, value, isDefault, updatedAt, updatedBy } = setting;
  const saved = settingText(setting, value, t);
  return (
    <Panel aria-label={t('facts')} className="p-4">
      <Facts columns={1}>
        <Fact label={t('fields.group')} value={group} empty={t('none', { ns: 'common' })} />
        <Fact label={t('fields.type')} value={t(`types.${type}`)} />
        <Fact
          label={t('fields.savedValue')}
          value={
            <span className="flex flex-wrap items-center gap-2">
              {saved || <span className="text-muted">{t('none', { ns: 'common' })}</span>}
              {isDefault && <Tag>{t('default')}</Tag>}
            </span>
          }
        />
        <Fact
          label={t('fields.updatedAt')}
          empty={t('never', { ns: 'common' })}
          value={
            updatedAt && (
              <time dateTime={updatedAt} title={formatAgo(updatedAt)} className="tabular-nums">
                {formatDateTime(updatedAt, timeZone)}
              </time>
            )
          }
        />
        <Fact
          label={t('fields.updatedBy')}
          value={updatedBy}
          empty={t('none', { ns: 'common' })}
        />
      </Facts>
    </Panel>
  );
}
