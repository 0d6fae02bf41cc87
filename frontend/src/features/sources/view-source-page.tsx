import { Pencil } from 'lucide-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { WRITE_ROLES } from '@/auth/roles';
import { useAuth } from '@/auth/use-auth';
import { QueryState } from '@/data/query-state';
import { useRecord } from '@/data/use-record';
import { formatCount, formatListCount } from '@/lib/numbers';
import { encodeFilters } from '@/list/filters-codec';
import { ByAt } from '@/domain/by-at';
import { ProofTags } from '@/domain/proof-rules';
import { RecordLink } from '@/list/record-link';
import { routes, useRouteParams } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { DateTime } from '@/ui/date-time';
import { Fact, Facts, Panel, PanelHead } from '@/ui/panel';
import { Skeleton } from '@/ui/skeleton';
import { StatusChip } from '@/ui/status-chip';
import { sourceImportsQuery, type Source } from './queries';
import { SourceState, sourceStatus, useSource } from './source';

export default function ViewSourcePage() {
  const { t } = useTranslation('sources');
  const { hasRole } = useAuth();
  const { sourceId } = useRouteParams('viewSource');
  const result = useSource(sourceId);
  return (
    <PageFrame>
      <SourceState result={result}>
        {(source) => (
          <>
            <div className="mb-4 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-2">
              <h2 dir="auto" className="text-xl font-semibold wrap-anywhere">{source.name}</h2>
              <StatusChip kind="source" status={sourceStatus(source)} size={24} />
              {hasRole(WRITE_ROLES) && (
                <Button asChild icon={Pencil} className="ms-auto max-md:ms-0">
                  <RecordLink to={routes.editSource({ sourceId })}>{t('edit.verb')}</RecordLink>
                </Button>
              )}
            </div>
            <div className="flex flex-col gap-4">
              <SourceFacts source={source} />
              <SourceImportsPanel source={source} />
            </div>
          </>
        )}
      </SourceState>
    </PageFrame>
  );
}

const SHOWN = 5;

/** Imports of a source, newest first, with a link to its deliveries. */
function SourceImportsPanel({ source }: { source: Pick<Source, 'id' | 'name'> }) {
  const { t } = useTranslation(['sources', 'common']);
  const titleId = useId();
  const where = [{ key: 'sourceId', operator: 'equals', values: [source.id] }];
  const { value, error, status, retry } = useRecord({
    document: sourceImportsQuery,
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
          t('imports.newest', { count: SHOWN, shown: formatListCount(value.uploadLogsCount) })
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
                    <span className="ms-auto text-muted max-md:ms-0">
                      <DateTime instant={log.createdAt} />{' '}
                      {t('by', { by: log.uploadedBy, ns: 'common' })}
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
                    shown: formatListCount(deliveriesCount),
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

function SourceFacts({ source }: { source: Source }) {
  const { t } = useTranslation(['sources', 'proof-rules']);
  return (
    <Panel aria-label={t('view.facts')} className="p-4">
      <Facts columns={3}>
        <Fact
          label={t('fields.isActive')}
          value={
            <>
              <StatusChip kind="source" status={sourceStatus(source)} />
              {!source.isActive && (
                <span className="mt-1 block text-xs text-muted">{t('view.disabled')}</span>
              )}
            </>
          }
        />
        <Fact label={t('fields.createdAt')} value={<ByAt by={source.createdBy} at={source.createdAt} />} />
        <Fact label={t('fields.updatedAt')} value={<ByAt by={source.updatedBy} at={source.updatedAt} />} />
        <Fact
          wide
          label={t('title', { ns: 'proof-rules' })}
          value={
            <ProofTags
              proofs={source.podRequirement}
              inheritedLabel={t('inherited.source', { ns: 'proof-rules' })}
            />
          }
        />
      </Facts>
    </Panel>
  );
}
