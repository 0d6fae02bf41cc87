import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { QueryState } from '@/data/query-state';
import { useRecord } from '@/data/use-record';
import { formatCount } from '@/lib/numbers';
import { encodeFilters } from '@/list/filters-codec';
import type { ListCount } from '@/list/resource';
import { routes } from '@/routing/routes';
import { DateTime } from '@/ui/date-time';
import { Panel, PanelHead } from '@/ui/panel';
import { Skeleton } from '@/ui/skeleton';
import { StatusChip } from '@/ui/status-chip';
import { broughtQuery, type Source } from '../queries';

const SHOWN = 5;

const shownCount = ({ total, exact }: ListCount) => `${formatCount(total)}${exact ? '' : '+'}`;

/** The imports of a source, newest first, and the way to its deliveries. */
export function BroughtPanel({ source }: { source: Pick<Source, 'id' | 'name'> }) {
  const { t } = useTranslation(['sources', 'common']);
  const titleId = useId();
  const where = [{ key: 'sourceId', operator: 'equals', values: [source.id] }];
  const { value, error, status, retry } = useRecord({
    document: broughtQuery,
    variables: {
      page: { where, sort: [{ key: 'createdAt', direction: 'desc' }], limit: SHOWN, offset: 0 },
      uploads: where,
      deliveries: where,
    },
    typenames: ['UploadLog', 'Delivery'],
    read: (data) => data,
  });
  const deliveries = routes.deliveries({
    filters: encodeFilters([
      {
        key: 'sourceId',
        operator: 'equals',
        values: [{ label: source.name, value: source.id }],
      },
    ]),
  });

  return (
    <Panel aria-labelledby={titleId} className="overflow-hidden">
      <PanelHead
        id={titleId}
        line
        title={t('imports.title')}
        note={
          value &&
          value.uploadLogsCount.total > SHOWN &&
          t('imports.newest', { count: SHOWN, shown: shownCount(value.uploadLogsCount) })
        }
      />
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
        {({ uploadLogs, deliveriesCount }) => (
          <>
            {uploadLogs.length === 0 ? (
              <p className="px-4 py-6 text-center text-sm text-muted">{t('imports.none')}</p>
            ) : (
              <ul aria-labelledby={titleId} className="divide-y divide-line">
                {uploadLogs.map((log) => (
                  <li
                    key={log.id}
                    className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2 text-sm"
                  >
                    <Link
                      to={routes.uploadedDetails({ uploadLog: log.id })}
                      className="min-w-48 font-medium text-accent wrap-anywhere hover:underline"
                    >
                      {log.filename}
                    </Link>
                    <StatusChip kind="upload" status={log.status} />
                    <span className="text-muted">
                      {t('imports.deliveries', {
                        count: log.deliveriesCreated,
                        shown: formatCount(log.deliveriesCreated),
                      })}
                    </span>
                    <span className="ml-auto text-muted max-md:ml-0">
                      <DateTime instant={log.createdAt} />{' '}
                      {t('view.by', { by: log.uploadedBy })}
                    </span>
                  </li>
                ))}
              </ul>
            )}
            <div className="border-t border-line px-4 py-3 text-sm">
              {deliveriesCount.total === 0 ? (
                <span className="text-muted">{t('deliveries.none')}</span>
              ) : (
                <Link to={deliveries} className="font-medium text-accent hover:underline">
                  {t('deliveries.show', {
                    count: deliveriesCount.total,
                    shown: shownCount(deliveriesCount),
                  })}
                </Link>
              )}
            </div>
          </>
        )}
      </QueryState>
    </Panel>
  );
}
