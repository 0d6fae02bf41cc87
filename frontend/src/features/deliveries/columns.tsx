import type { ResultOf } from '@/data/graphql';
import type { ListColumn } from '@/list/resource';
import { StatusChip } from '@/ui/status-chip';
import { DriverName } from './components/driver-name';
import type { deliveriesQuery } from './queries';

export type DeliveryRow = ResultOf<typeof deliveriesQuery>['deliveries'][number];

/**
 * The first five and their order are the specification's; the others may be hidden. Those that cannot
 * be sorted have no index that would make it quick.
 */
export const columns: readonly ListColumn<DeliveryRow>[] = [
  {
    id: 'id',
    labelKey: 'deliveries:fields.id',
    kind: 'id-link',
    value: ({ id }) => id,
    sortable: true,
    locked: true,
    width: 136,
    cardSlot: 'title',
  },
  {
    id: 'scheduledatetime',
    labelKey: 'deliveries:fields.scheduledatetime',
    kind: 'datetime',
    value: ({ scheduledatetime }) => scheduledatetime,
    sortable: true,
    width: 192,
    cardSlot: 'third',
  },
  {
    id: 'deliverystatus',
    labelKey: 'deliveries:fields.deliverystatus',
    kind: 'status',
    value: ({ deliverystatus }) => deliverystatus,
    render: ({ deliverystatus }) => <StatusChip kind="delivery" status={deliverystatus} />,
    sortable: true,
    width: 200,
    cardSlot: 'badge',
  },
  {
    id: 'driverId',
    labelKey: 'deliveries:fields.driverId',
    kind: 'text',
    value: ({ driverId }) => driverId,
    render: (delivery) => <DriverName delivery={delivery} />,
    emptyKey: 'common:unassigned',
    sortable: true,
    width: 164,
    cardSlot: 'third-end',
  },
  {
    id: 'linecount',
    labelKey: 'deliveries:fields.linecount',
    kind: 'number',
    value: ({ linecount }) => linecount,
    cardTextKey: 'deliveries:lines',
    width: 116,
    cardSlot: 'second-end',
  },
  {
    id: 'customername',
    labelKey: 'deliveries:fields.customername',
    kind: 'text',
    value: ({ customername }) => customername,
    sortable: true,
    width: 220,
    cardSlot: 'second',
  },
  {
    id: 'trucker',
    labelKey: 'deliveries:fields.trucker',
    kind: 'text',
    value: ({ trucker }) => trucker,
    width: 160,
    muted: true,
  },
  {
    id: 'shipmentnumber',
    labelKey: 'deliveries:fields.shipmentnumber',
    kind: 'text',
    value: ({ shipmentnumber }) => shipmentnumber,
    width: 132,
    initiallyHidden: true,
  },
  {
    id: 'referencedoc',
    labelKey: 'deliveries:fields.referencedoc',
    kind: 'text',
    value: ({ referencedoc }) => referencedoc,
    width: 132,
    initiallyHidden: true,
  },
  {
    id: 'deliverydatetime',
    labelKey: 'deliveries:fields.deliverydatetime',
    kind: 'datetime',
    value: ({ deliverydatetime }) => deliverydatetime,
    width: 192,
    initiallyHidden: true,
  },
];
