import { useTranslation } from 'react-i18next';
import { RecordState } from '@/data/record-state';
import { ActivityLabel } from '@/driver-activity/activity-label';
import { isLate } from '@/driver-activity/late';
import { useRouteParams } from '@/routing/route-params';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Panel, PanelHead } from '@/ui/panel';
import { DetailTable } from '../components/detail-table';
import { LateMark } from '../components/late-mark';
import { LogFacts } from '../components/log-facts';
import { LogSkeleton } from '../components/log-skeleton';
import { useDriverLog } from '../use-driver-log';

const DETAIL = 'driver-log-detail';

export default function ViewDriverLogPage() {
  const { t } = useTranslation(['driver-logs', 'driver-activity']);
  const { id } = useRouteParams('viewDriverActivityLog');
  const result = useDriverLog(id);
  return (
    <PageFrame>
      <RecordState
        result={result}
        loading={<LogSkeleton />}
        notFound={{
          title: t('view.notFound.title'),
          text: t('view.notFound.text'),
          action: t('view.notFound.action'),
          to: routes.driverLogs(),
        }}
      >
        {(log) => (
          <>
            <div className="mb-4 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-2">
              <h2 className="min-w-0 text-xl font-semibold wrap-anywhere">
                <ActivityLabel activity={log.activity} />
              </h2>
              <LateMark log={log} />
              {isLate(log) && (
                <p className="text-sm text-muted">{t('lateText', { ns: 'driver-activity' })}</p>
              )}
            </div>
            <div className="flex flex-col gap-4">
              <LogFacts log={log} />
              <Panel aria-labelledby={DETAIL}>
                <PanelHead id={DETAIL} title={t('detail.title')} />
                <div className="px-4 pb-4">
                  <DetailTable detail={log.detail} />
                </div>
              </Panel>
            </div>
          </>
        )}
      </RecordState>
    </PageFrame>
  );
}
