import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router';
import { RecordState } from '@/data/record-state';
import { useRecord } from '@/data/use-record';
import { readListOrigin } from '@/list/list-origin';
import { useRecordName } from '@/navigation/record-name';
import { PageFrame } from '@/shell/page-frame';
import { systemSettingQuery } from '../queries';
import { EditSettingForm } from './edit-setting-form';
import { SettingFacts } from './setting-facts';
import { SettingHistory } from './setting-history';
import { SettingSkeleton } from './setting-skeleton';

interface SettingViewProps {
  id: string;
  /** The list it belongs to, to go back to. */
  list: { name: string; address: string };
  /** Some may be read by everybody, like the logo, and are still no business of a planner's. */
  forPlanners?: boolean;
}

/** One setting: its value to edit, what it is, and what it was. */
export function SettingView({ id, list, forPlanners = false }: SettingViewProps) {
  const { t } = useTranslation('settings');
  const { state } = useLocation();
  const back = `${list.address}${readListOrigin(state, list.name)?.search ?? ''}`;
  const result = useRecord({
    document: systemSettingQuery,
    variables: { id },
    typenames: ['SystemSetting'],
    read: ({ systemSetting }) =>
      forPlanners && !systemSetting?.plannerVisible ? null : systemSetting,
  });
  useRecordName(result.value?.name);
  return (
    <PageFrame>
      <RecordState
        result={result}
        loading={<SettingSkeleton />}
        notFound={{
          title: t('notFound.title'),
          text: t('notFound.text'),
          action: t('notFound.action'),
          to: list.address,
        }}
      >
        {(setting) => (
          <>
            <h2 className="text-xl font-semibold wrap-anywhere">{setting.name}</h2>
            {setting.description && (
              <p className="mt-1 max-w-[640px] text-sm text-muted">{setting.description}</p>
            )}
            <div className="mt-4 grid items-start gap-4 lg:grid-cols-[minmax(0,560px)_minmax(0,320px)] lg:gap-6">
              <EditSettingForm setting={setting} back={back} onReload={result.retry} />
              <div className="flex min-w-0 flex-col gap-4">
                <SettingFacts setting={setting} />
                <SettingHistory setting={setting} />
              </div>
            </div>
          </>
        )}
      </RecordState>
    </PageFrame>
  );
}
