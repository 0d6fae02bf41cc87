import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { RecordState } from '@/data/query-state';
import { useRecord } from '@/data/use-record';
import { ActivityLabel, isLate, LateMark } from '@/domain/driver-activity';
import { formatLocation } from '@/domain/location';
import { useNameOf } from '@/i18n/texts';
import { routes, useRouteParams } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { DateTime } from '@/ui/date-time';
import { Fact, Facts, Panel, PanelHead } from '@/ui/panel';
import { FactsSkeleton, Skeleton } from '@/ui/skeleton';
import { Table } from '@/ui/table';
import { type DriverLog, driverLogQuery } from './queries';

/** Lists the entries of a detail. A value that is not an object is a single unnamed entry. */
function detailRows(detail: unknown): [name: string, value: unknown][] {
  if (detail === null || detail === undefined || detail === '') return [];
  if (typeof detail !== 'object' || Array.isArray(detail)) return [['value', detail]];
  return Object.entries(detail);
}

function useDriverLog(id: string) {
  return useRecord({
    document: driverLogQuery,
    variables: { id },
    typenames: ['DriverLog'],
    read: ({ driverLog }) => driverLog,
  });
}

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

/** Additional names and values that the device sent with the entry. */
function DetailTable({ detail }: { detail: unknown }) {
  const { t } = useTranslation('driver-logs');
  const nameOf = useNameOf();
  const rows = detailRows(detail);
  if (rows.length === 0) return <p className="text-sm text-muted">{t('detail.none')}</p>;
  return (
    <div className="overflow-hidden rounded-control border border-line">
      <Table
        look="facts"
        caption={t('detail.title')}
        columns={[
          {
            id: 'name',
            render: ([name]) => nameOf('driver-logs:detail.names', name),
            names: true,
            className: 'w-1/3 bg-raised',
          },
          { id: 'value', render: ([name, value]) => <DetailValue {...{ name, value }} /> },
        ]}
        rows={rows}
        rowKey={([name]) => name}
        rowClassName={() => 'first:border-t-0'}
      />
    </div>
  );
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

function isInstant(value: unknown): value is string {
  return typeof value === 'string' && INSTANT.test(value) && !Number.isNaN(Date.parse(value));
}

/** Formats an untrusted value as text. A nested value is shown as JSON. */
function DetailValue({ name, value }: { name: string; value: unknown }) {
  const { t } = useTranslation(['driver-logs', 'common']);
  const nameOf = useNameOf();
  if (value === undefined || value === null || value === '') {
    return <span className="text-muted">{t('none', { ns: 'common' })}</span>;
  }
  if (isInstant(value)) return <DateTime instant={value} />;
  if (typeof value === 'boolean') return t(value ? 'yes' : 'no');
  if (typeof value === 'object') {
    return (
      <pre className="overflow-x-auto text-xs whitespace-pre-wrap">
        {JSON.stringify(value, null, 2)}
      </pre>
    );
  }
  if (name === 'status') return nameOf('common:status.delivery', String(value));
  return <span className="tabular-nums">{String(value)}</span>;
}

const link = 'text-accent hover:underline';

function LogFacts({ log }: { log: DriverLog }) {
  const { t } = useTranslation(['driver-logs', 'common']);
  const none = t('none', { ns: 'common' });
  const { driverId, driverName, deliveryId, lat, lng } = log;
  return (
    <Panel aria-label={t('view.facts')} className="p-4">
      <Facts columns={3}>
        <Fact
          label={t('fields.driverId')}
          value={
            <>
              <Link to={routes.viewDriver({ driverId })} className={link}>
                {driverName || driverId}
              </Link>
              <span className="block text-xs text-muted tabular-nums">{driverId}</span>
            </>
          }
        />
        <Fact
          label={t('fields.deliveryId')}
          value={
            deliveryId && (
              <Link to={routes.viewDelivery({ deliveryId })} className={link}>
                {deliveryId}
              </Link>
            )
          }
          empty={none}
        />
        <Fact
          label={t('fields.point')}
          value={
            lat === null || lng === null ? null : (
              <span className="tabular-nums">{formatLocation({ lat, lng, accuracy: null })}</span>
            )
          }
          empty={none}
        />
        <Fact label={t('fields.occurredAt')} value={<DateTime instant={log.occurredAt} />} />
        <Fact label={t('fields.receivedAt')} value={<DateTime instant={log.receivedAt} />} />
        <Fact label={t('fields.ip')} value={log.ip} empty={none} />
        <Fact label={t('fields.deviceId')} value={log.deviceId} empty={none} />
        <Fact label={t('fields.appVersion')} value={log.appVersion} empty={none} />
      </Facts>
    </Panel>
  );
}

/** Skeleton in the layout of the page, so that nothing shifts when the entry loads. */
function LogSkeleton() {
  const { t } = useTranslation('common');
  return (
    <div role="status" aria-label={t('loading')}>
      <div className="mb-4 flex h-8 items-center">
        <Skeleton className="h-6 w-52" />
      </div>
      <FactsSkeleton count={6} />
    </div>
  );
}
