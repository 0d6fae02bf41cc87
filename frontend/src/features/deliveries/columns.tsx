import { useTranslation } from 'react-i18next';
import type { ResultOf } from '@/data/graphql';
import {
  customerColumn,
  dispatchColumn,
  idColumn,
  processedColumn,
  referenceColumn,
  shipmentColumn,
  statusColumn,
  truckerColumn,
} from '@/domain/delivery-list/columns';
import type { ListColumn } from '@/list/resource';
import { StatusChip } from '@/ui/status-chip';
import { Tag } from '@/ui/tag';
import { ConflictMark } from './conflict-bar';
import type { deliveriesQuery } from './queries';

export type DeliveryRow = ResultOf<typeof deliveriesQuery>['deliveries'][number];

/**
 * The specification fixes the first five columns and their order; the others can be hidden. Columns without a
 * database index cannot be sorted.
 */
export const columns: readonly ListColumn<DeliveryRow>[] = [
  idColumn,
  dispatchColumn,
  {
    ...statusColumn,
    render: ({ deliverystatus, conflict }) => (
      <span className="flex items-center gap-1.5">
        <StatusChip kind="delivery" status={deliverystatus} className="min-w-0 shrink! overflow-hidden" />
        {conflict && <ConflictMark />}
      </span>
    ),
  },
  {
    id: 'driverId',
    labelKey: 'deliveries:fields.driverId',
    kind: 'text',
    value: ({ driverId }) => driverId,
    render: (delivery) => <DriverName delivery={delivery} />,
    emptyKey: 'common:unassigned',
    sortable: true,
    width: 140,
    grow: 2,
    priority: 1,
    cardSlot: 'third-end',
  },
  {
    id: 'linecount',
    labelKey: 'deliveries:fields.linecount',
    kind: 'number',
    value: ({ linecount }) => linecount,
    cardTextKey: 'deliveries:lines',
    width: 92,
    priority: 2,
    cardSlot: 'second-end',
  },
  customerColumn,
  truckerColumn,
  shipmentColumn,
  referenceColumn,
  { ...processedColumn, initiallyHidden: true },
];

interface Assigned {
  driverId: string | null;
  driver?: { name: string } | null;
}

/** Name of the assigned driver followed by the ID, or a marked ID if no such driver exists. */
function DriverName({ delivery }: { delivery: Assigned }) {
  const { t } = useTranslation('deliveries');
  const { driverId, driver } = delivery;
  const name = driver?.name;
  return (
    <span className="tabular-nums">
      {name ? (
        <>
          {name} <span className="text-muted">{driverId}</span>
        </>
      ) : (
        driverId
      )}
      {driverId && driver === null && (
        <Tag tone="warn" className="ms-1.5">
          {t('driverNotKnown')}
        </Tag>
      )}
    </span>
  );
}
