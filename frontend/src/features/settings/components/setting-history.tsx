import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { DateTime } from '@/ui/date-time';
import { Panel, PanelHead } from '@/ui/panel';
import type { Setting } from '../queries';
import { settingText } from '../setting-text';

/** Who changed it when, from what to what; newest first. */
export function SettingHistory({ setting }: { setting: Setting }) {
  const { t } = useTranslation(['settings', 'common']);
  const titleId = useId();
  const say = (value: string) => settingText(setting, value, t) || t('none', { ns: 'common' });
  return (
    <Panel aria-labelledby={titleId} className="pb-4">
      <PanelHead id={titleId} title={t('history.title')} />
      {setting.history.length === 0 ? (
        <p className="px-4 text-sm text-muted">{t('history.none')}</p>
      ) : (
        <ol aria-labelledby={titleId} className="flex flex-col gap-3 px-4 text-sm">
          {setting.history.map(({ at, actor, before, after }) => (
            <li key={`${at} ${before} ${after}`}>
              <p className="wrap-anywhere tabular-nums">
                {setting.isSecret
                  ? t('history.changed')
                  : t('history.step', { before: say(before), after: say(after) })}
              </p>
              <p className="text-xs text-muted">
                <DateTime instant={at} />{' '}
                · {actor}
              </p>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}
