import { useTranslation } from 'react-i18next';
import { useTimeZone } from '@/data/use-time-zone';
import { DateTime } from '@/ui/date-time';
import { Fact, Facts } from '@/ui/facts';
import { Panel } from '@/ui/panel';
import { Tag } from '@/ui/tag';
import type { Setting } from '../queries';
import { presentText } from '../setting-text';

/** What is saved, and who saved it last. */
export function SettingFacts({ setting }: { setting: Setting }) {
  const { t } = useTranslation(['settings', 'common']);
  const { type, group, value, isDefault, updatedAt, updatedBy } = setting;
  const saved = presentText(setting, value, useTimeZone(), t);
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
              <DateTime instant={updatedAt} />
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
