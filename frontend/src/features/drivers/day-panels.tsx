import { MapPin } from 'lucide-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { QueryState } from '@/data/query-state';
import { deliveriesChangedSubscription, useChanges } from '@/data/use-changes';
import { usePolling } from '@/data/use-polling';
import { useRecord } from '@/data/use-record';
import { useTimeZone } from '@/data/use-time-zone';
import { ActivityLabel } from '@/domain/driver-activity';
import { useNameOf } from '@/i18n/texts';
import { formatTime } from '@/lib/dates';
import { formatListCount } from '@/lib/numbers';
import { toWhere } from '@/list/to-where';
import { formatLocation } from '@/domain/location';
import { routes } from '@/routing/routes';
import { Button } from '@/ui/button';
import { DateTime } from '@/ui/date-time';
import { Fact, Facts, Panel, PanelHead } from '@/ui/panel';
import { StatusChip } from '@/ui/status-chip';
import { deliveriesAddress, deliveriesOf, LinesSkeleton, logsAddress, POLL_INTERVAL_MS } from './driver';
import { type Driver, driverActivityQuery, driverDeliveriesQuery } from './queries';

const SHOWN = 10;
const PACE_MS = 5000;

/** Deliveries of a driver that are dispatched today, earliest first. */
export function TodayPanel({ driverId }: { driverId: string }) {
  const { t } = useTranslation(['drivers', 'common']);
  const id = useId();
  const timeZone = useTimeZone();
  const today = toWhere(deliveriesOf(driverId, 'today'), timeZone);
  const { value, error, status, retry, refresh } = useRecord({
    document: driverDeliveriesQuery,
    variables: {
      page: {
        where: today,
        sort: [{ key: 'scheduledatetime', direction: 'asc' }],
        limit: SHOWN,
        offset: 0,
      },
      today,
      open: toWhere(deliveriesOf(driverId, 'open'), timeZone),
    },
    typenames: ['Delivery'],
    read: (data) => data,
  });
  useChanges(deliveriesChangedSubscription, {}, refresh, { pace: PACE_MS });

  return (
    <Panel aria-labelledby={id} className="overflow-hidden">
      <PanelHead id={id} line title={t('today.title')} note={value && formatListCount(value.today)} />
      <QueryState
        value={value}
        error={error}
        status={status}
        onRetry={retry}
        empty={null}
        loading={<LinesSkeleton />}
      >
        {({ deliveries, today: all, open }) => (
          <>
            {deliveries.length === 0 ? (
              <p className="px-4 py-6 text-center text-sm text-muted">{t('today.none')}</p>
            ) : (
              <ul aria-labelledby={id} className="divide-y divide-line">
                {deliveries.map((delivery) => (
                  <li
                    key={delivery.id}
                    className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2 text-sm"
                  >
                    <DateTime instant={delivery.scheduledatetime} format={formatTime} className="w-18 whitespace-nowrap text-muted" />
                    <Link
                      to={routes.viewDelivery({ deliveryId: delivery.id })}
                      className="min-w-32 font-medium text-accent wrap-anywhere hover:underline"
                    >
                      {delivery.id}
                    </Link>
                    <span className="min-w-0 flex-1 wrap-anywhere text-muted">
                      {delivery.customername}
                    </span>
                    <StatusChip kind="delivery" status={delivery.deliverystatus} />
                  </li>
                ))}
              </ul>
            )}
            <div className="flex flex-wrap gap-x-6 gap-y-2 border-t border-line px-4 py-3 text-sm font-medium">
              {all.total > deliveries.length && (
                <Link
                  to={deliveriesAddress(driverId, 'today')}
                  className="text-accent hover:underline"
                >
                  {t('today.show', { shown: formatListCount(all) })}
                </Link>
              )}
              {open.total > 0 ? (
                <Link
                  to={deliveriesAddress(driverId, 'open')}
                  className="text-accent hover:underline"
                >
                  {t('today.showOpen', { count: open.total, shown: formatListCount(open) })}
                </Link>
              ) : (
                <span className="font-normal text-muted">{t('today.noOpen')}</span>
              )}
            </div>
          </>
        )}
      </QueryState>
    </Panel>
  );
}

const ACTIVITIES_SHOWN = 8;

/** The latest entries of the driver log. */
export function ActivityPanel({ driver }: { driver: Pick<Driver, 'driverId' | 'name'> }) {
  const { t } = useTranslation('drivers');
  const id = useId();
  const { value, error, status, retry, refresh } = useRecord({
    document: driverActivityQuery,
    variables: {
      page: {
        where: [{ key: 'driverId', operator: 'equals', values: [driver.driverId] }],
        sort: [{ key: 'occurredAt', direction: 'desc' }],
        limit: ACTIVITIES_SHOWN,
        offset: 0,
      },
    },
    // Blocking and unblocking a driver are logged, too.
    typenames: ['DriverLog', 'Driver'],
    read: ({ driverLogs }) => driverLogs,
  });
  usePolling(refresh, POLL_INTERVAL_MS);
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
                    <span className="ms-auto text-muted">
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

/** The last position of the driver, with a link to the map. */
export function PositionPanel({ driver }: { driver: Driver }) {
  const { t } = useTranslation(['drivers', 'common']);
  const nameOf = useNameOf();
  const titleId = useId();
  const { driverId, lastPosition: position, lastSeenAt, onlineState } = driver;
  const none = t('none', { ns: 'common' });
  return (
    <Panel aria-labelledby={titleId}>
      <PanelHead
        id={titleId}
        title={t('position.title')}
        tools={<StatusChip kind="online" status={onlineState} />}
      />
      <div className="flex flex-col items-start gap-3 px-4 pb-4">
        {position ? (
          <>
            <Facts columns={2} className="w-full grid-cols-2">
              <Fact
                wide
                label={t('position.place')}
                value={
                  <span className="tabular-nums">
                    {formatLocation({ ...position, accuracy: position.accuracyM })}
                  </span>
                }
              />
              <Fact
                label={t('position.occurredAt')}
                value={<DateTime instant={position.occurredAt} show="ago" />}
              />
              <Fact
                label={t('fields.lastSeenAt')}
                value={lastSeenAt && <DateTime instant={lastSeenAt} show="ago" />}
                empty={none}
              />
              <Fact
                label={t('position.speed')}
                value={
                  position.speedKmh === null
                    ? null
                    : t('position.kmh', { speed: Math.round(position.speedKmh) })
                }
                empty={none}
              />
              <Fact
                label={t('position.battery')}
                value={
                  position.batteryPct === null
                    ? null
                    : t(position.charging ? 'position.charging' : 'position.percent', {
                        percent: Math.round(position.batteryPct),
                      })
                }
                empty={none}
              />
              <Fact
                label={t('position.provider')}
                value={nameOf('drivers:providers', position.provider)}
              />
            </Facts>
            <Button asChild icon={MapPin}>
              <Link to={routes.driverTracker({ driverId })}>{t('position.track')}</Link>
            </Button>
          </>
        ) : (
          <p className="text-sm text-muted">{t('position.never')}</p>
        )}
      </div>
    </Panel>
  );
}
