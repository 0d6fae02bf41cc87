import { ArrowRight, FileSpreadsheet } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useAuth } from '@/auth/use-auth';
import { WRITE_ROLES } from '@/auth/roles';
import { useRecord } from '@/data/use-record';
import { formatListCount } from '@/lib/numbers';
import { encodeFilters } from '@/list/filters-codec';
import { routes } from '@/routing/routes';
import { Button } from '@/ui/button';
import { StatusChip } from '@/ui/status-chip';
import { importedDeliveriesQuery, type UploadLog } from './queries';
import { isBusy } from './upload-status';

function deliveriesOf({ id, filename }: UploadLog): string {
  const values = [{ label: filename, value: id }];
  return routes.deliveries({
    filters: encodeFilters([{ key: 'uploadLogId', operator: 'equals', values }]),
  });
}

/** Returns whether the import has deliveries, and how many. After an undo, reads how many are left; undefined until loaded. */
function useDeliveries({ id, deliveriesCreated, status }: UploadLog) {
  const canHave = deliveriesCreated > 0 && !isBusy(status) && !['validated', 'undone', 'needs_mapping'].includes(status);
  const isPartlyUndone = canHave && status === 'partly_undone';
  const { value: left } = useRecord({
    document: importedDeliveriesQuery,
    variables: { where: [{ key: 'uploadLogId', operator: 'equals', values: [id] }] },
    typenames: ['Delivery'],
    read: ({ deliveriesCount }) => deliveriesCount,
    pause: !isPartlyUndone,
  });
  const count = isPartlyUndone ? left : { total: deliveriesCreated, exact: true };
  return { hasDeliveries: canHave && count?.total !== 0, count };
}

export function DetailsHeader({ log }: { log: UploadLog }) {
  const { t } = useTranslation('imports');
  const { hasRole } = useAuth();
  const done = !isBusy(log.status);
  const { hasDeliveries, count } = useDeliveries(log);
  return (
    <div className="mb-4 flex min-h-9 flex-wrap items-center gap-x-3 gap-y-2">
      <FileSpreadsheet aria-hidden className="size-6 shrink-0 text-accent" />
      {/* Receives the focus when the button that had it is removed, for example when an import starts. */}
      <h2 tabIndex={-1} className="min-w-0 text-xl font-semibold wrap-anywhere">{log.filename}</h2>
      <StatusChip kind="upload" status={log.status} size={24} />
      {done && (
        <div className="ms-auto flex flex-wrap gap-2 max-sm:w-full max-sm:*:flex-1">
          {hasRole(WRITE_ROLES) && (
            <Button asChild size={36} variant={hasDeliveries || log.status === 'validated' ? 'default' : 'primary'}>
              <Link to={routes.uploadDeliveries()}>{t('details.again')}</Link>
            </Button>
          )}
          {hasDeliveries && (
            <Button asChild size={36} variant="primary" icon={ArrowRight}>
              <Link to={deliveriesOf(log)}>
                {count ? t('details.show', { count: count.total, shown: formatListCount(count) }) : t('details.showAll')}
              </Link>
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
