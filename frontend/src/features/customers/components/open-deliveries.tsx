import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { QueryState } from '@/data/query-state';
import { useRecord } from '@/data/use-record';
import { useTimeZone } from '@/data/use-time-zone';
import { formatCount } from '@/lib/numbers';
import { toWhere } from '@/list/to-where';
import { routes } from '@/routing/routes';
import { DateTime } from '@/ui/date-time';
import { Panel, PanelHead } from '@/ui/panel';
import { Skeleton } from '@/ui/skeleton';
import { StatusChip } from '@/ui/status-chip';
import { deliveriesAddress, deliveriesOf } from '../list-links';
import { openDeliveriesQuery } from '../queries';

const SHOWN = 5;

/** What is still on its way to a customer, the next one first. */
export function OpenDeliveries({ customerName }: { customerName: string }) {
  const { t } = useTranslation(['customers', 'common', 'deliveries']);
  const id = useId();
  const timeZone = useTimeZone();
  const where = toWhere(deliveriesOf(customerName, 'open'), timeZone);
  const { value, error, status, retry } = useRecord({
    document: openDeliveriesQuery,
    variables: {
      page: { where, sort: [{ key: 'scheduledatetime', direction: 'asc' }], limit: SHOWN, offset: 0 },
      where,
    },
    typenames: ['Delivery'],
    read: ({ deliveries, deliveriesCount }) => ({ rows: deliveries, count: deliveriesCount }),
  });
  const total =
    value && `${formatCount(value.count.total)}${value.count.exact ? '' : '+'}`;

  return (
    <Panel aria-labelledby={id} className="overflow-hidden">
      <PanelHead id={id} line title={t('open.title')} note={total} />
      <QueryState
        value={value}
        error={error}
        status={status}
        onRetry={retry}
        empty={null}
        loading={
          <div role="status" aria-label={t('common:loading')} className="flex flex-col gap-4 p-4">
            <Skeleton className="h-3 w-3/4 rounded-full" />
            <Skeleton className="h-3 w-2/3 rounded-full" />
          </div>
        }
      >
        {({ rows }) =>
          rows.length === 0 ? (
            <p className="px-4 py-6 text-center text-sm text-muted">{t('open.none')}</p>
          ) : (
            <ul aria-labelledby={id} className="divide-y divide-line">
              {rows.map((row) => (
                <li
                  key={row.id}
                  className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2 text-sm"
                >
                  <Link
                    to={routes.viewDelivery({ deliveryId: row.id })}
                    className="min-w-32 font-medium text-accent wrap-anywhere hover:underline"
                  >
                    {row.id}
                  </Link>
                  <StatusChip kind="delivery" status={row.deliverystatus} />
                  <DateTime instant={row.scheduledatetime} />
                  <span className="ml-auto text-muted max-md:ml-0">
                    <span className="sr-only">{t('deliveries:fields.driverId')}: </span>
                    {row.driverId ?? t('common:unassigned')}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </QueryState>
      <div className="flex flex-wrap gap-x-6 gap-y-2 border-t border-line px-4 py-3 text-sm font-medium">
        {value && value.rows.length > 0 && (
          <Link
            to={deliveriesAddress(customerName, 'open')}
            className="text-accent hover:underline"
          >
            {t('open.showOpen', { count: value.count.total, shown: total })}
          </Link>
        )}
        <Link to={deliveriesAddress(customerName, 'all')} className="text-accent hover:underline">
          {t('open.showAll')}
        </Link>
      </div>
    </Panel>
  );
}
