import { useTranslation } from 'react-i18next';
import { useTimeZone } from '@/data/use-time-zone';
import { Tag } from '@/ui/tag';
import type { SettingRow } from '../queries';
import { presentText } from '../setting-text';

/** The value of a row, and whether anybody chose it. */
export function ValueCell({ setting }: { setting: SettingRow }) {
  const { t } = useTranslation(['settings', 'common']);
  const text = presentText(setting, setting.value, useTimeZone(), t);
  return (
    <span className="flex min-w-0 items-center gap-2">
      {text ? (
        <span className="min-w-0 truncate tabular-nums" data-tip-cut>
          {text}
        </span>
      ) : (
        <span className="text-muted">{t('none', { ns: 'common' })}</span>
      )}
      {setting.isDefault && <Tag>{t('default')}</Tag>}
    </span>
  );
}
