import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { QueryState } from '@/data/query-state';
import { useRecord } from '@/data/use-record';
import { ActivityLabel } from '@/driver-activity/activity-label';
import { routes } from '@/routing/routes';
import { DateTime } from '@/ui/date-time';
import { Panel, PanelHead } from '@/ui/panel';
import { logsAddress } from '../list-links';
import { type Driver, driverActivityQuery } from '../queries';
import { LinesSkeleton } from './lines-skeleton';

const SHOWN = 8;

/** The newest entries of the driver's log. */
export function ActivityPanel({ driver }: { driver: Pick<Driver, 'driverId' | 'name'> }) {
  const { t } = useTranslation('drivers');
  const id = useId();
  const { value, error, status, retry } = useRecord({
    document: driverActivityQuery,
    variables: {
      page: {
        where: [{ key: 'driverId', operator: 'equals', values: [driver.driverId] }],
        sort: [{ key: 'occurredAt', direction: 'desc' }],
        limit: SHOWN,
        offset: 0,
      },
    },
    typenames: ['DriverLog'],
    read: ({ driverLogs }) => driverLogs,
  });
  return (
    <Panel aria-labelledby={id} className="overflow-hidden">
      <PanelHead id={id} line title={t('activity.title')} />
      <QueryState
        value={value}
        error={error}
        status={status}
        onRetry={retry}
        empty={null}
        loading={<LinesSkeleton />}
      >
        {(logs) => (
          <>
            {logs.length === 0 ? (
              <p className="px-4 py-6 text-center text-sm text-muted">{t('activity.none')}</p>
            ) : (
              <ul aria-labelledby={id} className="divide-y divide-line">
                {logs.map((log) => (
                  <li
                    key={log.id}
                    className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 text-sm"
                  >
                    <Link
                      to={routes.viewDriverActivityLog({ id: log.id })}
                      className="min-w-0 text-accent hover:underline"
                    >
                      <ActivityLabel activity={log.activity} />
                    </Link>
                    {log.deliveryId && (
                      <span className="text-muted tabular-nums wrap-anywhere">
                        {log.deliveryId}
                      </span>
                    )}
                    <span className="ml-auto text-muted">
                      <DateTime instant={log.occurredAt} show="ago" />
                    </span>
                  </li>
                ))}
              </ul>
            )}
            <div className="border-t border-line px-4 py-3 text-sm font-medium">
              <Link to={logsAddress(driver)} className="text-accent hover:underline">
                {t('activity.showAll')}
              </Link>
            </div>
          </>
        )}
      </QueryState>
    </Panel>
  );
}
