import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { deliveriesAddress } from '@/analytics/delivery-filters';
import { deliveryChangedSubscription, useChanges } from '@/data/use-changes';
import { useKept, useRecord } from '@/data/use-record';
import { usePolling } from '@/data/use-polling';
import { filters as fields, standingViews } from '@/delivery-list/filters';
import { formatDateTime, formatElapsed } from '@/lib/dates';
import { formatCount } from '@/lib/numbers';
import type { Filter } from '@/list/filters-codec';
import type { ListCount, WhereFilter } from '@/list/resource';
import { toWhere } from '@/list/to-where';
import { routes } from '@/routing/routes';
import { Panel, PanelHead } from '@/ui/panel';
import { attentionCountsQuery, lateDeliveriesQuery, type LateDelivery } from './queries';

/** Counting is more work than an analytics query, and these change by the minute. */
const POLL_MS = 30_000;
const PACE_MS = 3000;
const MOST_LATE = 8;
const NO_VARIABLES = {};

export const ATTENTION = ['late', 'unassigned', 'conflicts'] as const;
export type Attention = (typeof ATTENTION)[number];

export const attentionFilters = Object.fromEntries(
  ATTENTION.map((id) => [id, standingViews.find((view) => view.id === id)?.filters ?? []]),
) as Record<Attention, Filter[]>;

export interface AttentionState {
  counts: Record<Attention, ListCount> | undefined;
  late: readonly LateDelivery[] | undefined;
  error: unknown;
  retry: () => void;
}

/** What waits for somebody now: the standing views of the list, counted as the list counts them. */
export function useAttention(timeZone: string, now: Date): AttentionState {
  const where = useMemo(
    () =>
      Object.fromEntries(
        ATTENTION.map((id) => [id, toWhere(attentionFilters[id], timeZone, fields, now)]),
      ) as Record<Attention, WhereFilter[]>,
    [timeZone, now],
  );
  const counts = useRecord({
    document: attentionCountsQuery,
    variables: where,
    typenames: ['Delivery'],
    read: (data) => data,
  });
  const late = useRecord({
    document: lateDeliveriesQuery,
    variables: {
      page: {
        where: where.late,
        sort: [{ key: 'scheduledatetime', direction: 'asc' as const }],
        limit: MOST_LATE,
        offset: 0,
      },
    },
    typenames: ['Delivery'],
    read: ({ deliveries }) => deliveries,
  });
  const { refresh: refreshCounts } = counts;
  const { refresh: refreshLate } = late;
  const refresh = useCallback(() => {
    refreshCounts();
    refreshLate();
  }, [refreshCounts, refreshLate]);
  useChanges(deliveryChangedSubscription, NO_VARIABLES, refresh, { pace: PACE_MS });
  usePolling(refresh, POLL_MS);
  // Each minute asks anew what is late; until the answer is there, the last one stands.
  const shownCounts = useKept(counts.value ?? undefined, 'counts');
  const shownLate = useKept(late.value ?? undefined, 'late');
  return {
    counts: shownCounts,
    late: shownLate,
    error: counts.error ?? late.error,
    retry: () => {
      counts.retry();
      late.retry();
    },
  };
}

interface LatePanelProps {
  late: readonly LateDelivery[];
  count: ListCount | undefined;
  now: Date;
  timeZone: string;
}

const DAY_MS = 86_400_000;

/** '34 min', '5 h 10 min', '3 d' */
function formatLate(ms: number): string {
  return ms >= DAY_MS ? `${Math.floor(ms / DAY_MS)} d` : formatElapsed(Math.floor(ms / 60_000) * 60_000);
}

/** The deliveries that are late the longest, and who drives them. */
export function LatePanel({ late, count, now, timeZone }: LatePanelProps) {
  const { t } = useTranslation(['dashboard', 'common', 'deliveries']);
  const head = 'px-3 font-medium first:ps-4 last:pe-4';
  const cell = 'px-3 first:ps-4 last:pe-4';
  return (
    <Panel aria-labelledby="late" className="overflow-hidden">
      <PanelHead
        id="late"
        title={t('late.title')}
        note={t('late.note')}
        tools={
          count &&
          count.total > 0 && (
            <Link to={deliveriesAddress(attentionFilters.late)} className="rounded-box text-sm text-accent hover:underline">
              {t('late.all', { shown: `${formatCount(count.total)}${count.exact ? '' : '+'}` })}
            </Link>
          )
        }
      />
      {late.length === 0 ? (
        <p className="px-4 pt-2 pb-6 text-sm text-muted">{t('late.none')}</p>
      ) : (
        // A region that scrolls must be reachable by keys.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <div role="group" aria-label={t('late.title')} tabIndex={0} className="overflow-x-auto focus-visible:-outline-offset-2">
          <table className="w-full text-sm">
            <caption className="sr-only">{t('late.title')}</caption>
            <thead>
              <tr className="h-9 border-y border-line bg-raised text-start text-xs whitespace-nowrap text-muted">
                <th scope="col" className={head}>
                  {t('deliveries:fields.id')}
                </th>
                <th scope="col" className={head}>
                  {t('deliveries:fields.customername')}
                </th>
                <th scope="col" className={head}>
                  {t('late.driver')}
                </th>
                <th scope="col" className={`${head} text-end`}>
                  {t('late.by')}
                </th>
                <th scope="col" className={`${head} max-2xl:hidden`}>
                  {t('late.due')}
                </th>
              </tr>
            </thead>
            <tbody>
              {late.map(({ id, customername, scheduledatetime, timeWindowEnd, driver, driverId }) => {
                const due = timeWindowEnd ?? scheduledatetime;
                return (
                  <tr key={id} className="h-9 border-b border-line whitespace-nowrap last:border-0">
                    <td className={cell}>
                      <Link to={routes.viewDelivery({ deliveryId: id })} className="rounded-box text-accent hover:underline">
                        {id}
                      </Link>
                    </td>
                    <td className={`${cell} max-w-44 truncate`}>{customername}</td>
                    <td className={`${cell} max-w-36 truncate`}>
                      {driverId ? (
                        <Link to={routes.viewDriver({ driverId })} className="rounded-box text-accent hover:underline">
                          {driver?.name ?? driverId}
                        </Link>
                      ) : (
                        <span className="text-muted">{t('common:unassigned')}</span>
                      )}
                    </td>
                    <td data-tip={formatDateTime(due, timeZone)} className={`${cell} text-end font-medium text-bad tabular-nums`}>
                      {formatLate(now.getTime() - Date.parse(due))}
                    </td>
                    <td className={`${cell} tabular-nums max-2xl:hidden`}>{formatDateTime(due, timeZone)}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}
