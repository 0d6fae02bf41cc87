import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { BUSY_PACE_MS, deliveriesChangedSubscription, useChanges } from '@/data/use-changes';
import { usePreviousData, useReadAt, useRecord } from '@/data/use-record';
import { usePolling } from '@/data/use-polling';
import { deliveriesAddress } from '@/domain/analytics/delivery-filters';
import { filters as fields, standingViews } from '@/domain/delivery-list/filters';
import { formatDateTime, formatElapsed } from '@/lib/dates';
import { formatListCount } from '@/lib/numbers';
import type { Filter } from '@/list/filters-codec';
import type { ListCount, WhereFilter } from '@/list/resource';
import { toWhere } from '@/list/to-where';
import { routes } from '@/routing/routes';
import { Panel, PanelHead } from '@/ui/panel';
import { Table, type TableColumn } from '@/ui/table';
import { attentionCountsQuery, lateDeliveriesQuery, type LateDelivery } from './queries';

/**
 * Poll interval in milliseconds. It is longer than that of the analytics queries, because these counts take longer.
 */
const POLL_MS = 30_000;
const PACE_MS = 3000;
const MOST_LATE = 8;
const NO_VARIABLES = {};

export const ATTENTION = ['late', 'unassigned', 'conflicts'] as const;
export type Attention = (typeof ATTENTION)[number];

export const attentionFilters = Object.fromEntries(
  ATTENTION.map((id) => [id, standingViews.find((view) => view.id === id)?.filters ?? []]),
) as Record<Attention, Filter[]>;

/** Counts of deliveries, and of drivers with late deliveries. */
export type AttentionCounts = Record<Attention | 'lateDrivers', ListCount>;

export interface AttentionState {
  counts: AttentionCounts | undefined;
  late: readonly LateDelivery[] | undefined;
  /** When the older of both was read, in milliseconds since the epoch. */
  readAt: number | undefined;
  /** Why the last read failed. */
  error: unknown;
  retry: () => void;
}

/** Counts the deliveries in the standing views of the deliveries list, with the filters of these views. */
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
        sort: [{ key: 'dueAt', direction: 'asc' as const }],
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
  useChanges(deliveriesChangedSubscription, NO_VARIABLES, refresh, { pace: PACE_MS, busyPace: 2 * BUSY_PACE_MS });
  usePolling(refresh, POLL_MS);
  // Keep the last counts, and the failure to read them again, until those of the new minute are loaded.
  const shownCounts = usePreviousData(counts.value ?? undefined, 'counts');
  const shownLate = usePreviousData(late.value ?? undefined, 'late');
  const isReady = counts.status === 'ready' && late.status === 'ready';
  const error = usePreviousData(counts.error ?? late.error ?? (isReady ? null : undefined), 'error');
  const countsAt = useReadAt(counts.value);
  const lateAt = useReadAt(late.value);
  return {
    counts: shownCounts,
    late: shownLate,
    readAt: countsAt !== undefined && lateAt !== undefined ? Math.min(countsAt, lateAt) : undefined,
    error: error ?? undefined,
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

/** Formats a delay: '34 min', '5 h 10 min', '3 d'. */
function formatLate(ms: number): string {
  return ms >= DAY_MS ? `${Math.floor(ms / DAY_MS)} d` : formatElapsed(Math.floor(ms / 60_000) * 60_000);
}

const dueOf = ({ timeWindowEnd, scheduledatetime }: LateDelivery) => timeWindowEnd ?? scheduledatetime;

/** The most overdue deliveries, with their drivers. */
export function LatePanel({ late, count, now, timeZone }: LatePanelProps) {
  const { t } = useTranslation(['dashboard', 'common', 'deliveries']);
  const columns: TableColumn<LateDelivery>[] = [
    {
      id: 'id',
      header: t('deliveries:fields.id'),
      render: ({ id }) => (
        <Link to={routes.viewDelivery({ deliveryId: id })} className="rounded-box text-accent hover:underline">
          {id}
        </Link>
      ),
    },
    {
      id: 'customer',
      header: t('deliveries:fields.customername'),
      render: ({ customername }) => customername,
      cellClassName: 'max-w-44 truncate',
    },
    {
      id: 'driver',
      header: t('late.driver'),
      render: ({ driver, driverId }) =>
        driverId ? (
          <Link to={routes.viewDriver({ driverId })} className="rounded-box text-accent hover:underline">
            {driver?.name ?? driverId}
          </Link>
        ) : (
          <span className="text-muted">{t('common:unassigned')}</span>
        ),
      // Hidden on phones, to leave room for how late the delivery is.
      className: 'max-sm:hidden',
      cellClassName: 'max-w-36 truncate',
    },
    {
      id: 'by',
      header: t('late.by'),
      render: (delivery) => formatLate(now.getTime() - Date.parse(dueOf(delivery))),
      tip: (delivery) => formatDateTime(dueOf(delivery), timeZone),
      end: true,
      cellClassName: 'font-medium text-bad',
    },
    {
      id: 'due',
      header: t('late.due'),
      render: (delivery) => formatDateTime(dueOf(delivery), timeZone),
      className: 'max-2xl:hidden',
      cellClassName: 'tabular-nums',
    },
  ];
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
              {t('late.all', { shown: formatListCount(count) })}
            </Link>
          )
        }
      />
      {late.length === 0 ? (
        <p className="px-4 pt-2 pb-6 text-sm text-muted">{t('late.none')}</p>
      ) : (
        // Scroll areas must be reachable by keyboard.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <div role="group" aria-label={t('late.title')} tabIndex={0} className="overflow-x-auto focus-visible:-outline-offset-2">
          <Table look="panel" caption={t('late.title')} columns={columns} rows={late} rowKey={({ id }) => id} />
        </div>
      )}
    </Panel>
  );
}
