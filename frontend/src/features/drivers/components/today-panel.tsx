import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { QueryState } from '@/data/query-state';
import { useRecord } from '@/data/use-record';
import { useTimeZone } from '@/data/use-time-zone';
import { formatTime } from '@/lib/dates';
import { formatCount } from '@/lib/numbers';
import type { ListCount } from '@/list/resource';
import { toWhere } from '@/list/to-where';
import { routes } from '@/routing/routes';
import { DateTime } from '@/ui/date-time';
import { Panel, PanelHead } from '@/ui/panel';
import { StatusChip } from '@/ui/status-chip';
import { deliveriesAddress, deliveriesOf } from '../list-links';
import { driverDeliveriesQuery } from '../queries';
import { LinesSkeleton } from './lines-skeleton';

const SHOWN = 10;

const shownCount = ({ total, exact }: ListCount) => `${formatCount(total)}${exact ? '' : '+'}`;

/** What the driver has to deliver today, the first one first. */
export function TodayPanel({ driverId }: { driverId: string }) {
  const { t } = useTranslation(['drivers', 'common']);
  const id = useId();
  const timeZone = useTimeZone();
  const today = toWhere(deliveriesOf(driverId, 'today'), timeZone);
  const { value, error, status, retry } = useRecord({
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

  return (
    <Panel aria-labelledby={id} className="overflow-hidden">
      <PanelHead id={id} line title={t('today.title')} note={value && shownCount(value.today)} />
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
                  {t('today.show', { shown: shownCount(all) })}
                </Link>
              )}
              {open.total > 0 ? (
                <Link
                  to={deliveriesAddress(driverId, 'open')}
                  className="text-accent hover:underline"
                >
                  {t('today.showOpen', { count: open.total, shown: shownCount(open) })}
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
