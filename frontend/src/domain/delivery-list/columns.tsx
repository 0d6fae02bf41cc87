// Columns shared by all lists of deliveries. Each list adds its own and sets the order.
import type { ListColumn } from '@/list/resource';
import { type DeliveryStatus, StatusChip } from '@/ui/status-chip';

interface DeliveryCells {
  id: string;
  scheduledatetime: string | null;
  deliverydatetime: string | null;
  deliverystatus: DeliveryStatus;
  customername: string;
  trucker: string | null;
  shipmentnumber: string | null;
  referencedoc: string | null;
}

type Column = ListColumn<DeliveryCells>;

export const idColumn: Column = {
  id: 'id',
  labelKey: 'deliveries:fields.id',
  kind: 'id-link',
  value: ({ id }) => id,
  sortable: true,
  locked: true,
  width: 118,
  cardSlot: 'title',
};

export const dispatchColumn: Column = {
  id: 'scheduledatetime',
  labelKey: 'deliveries:fields.scheduledatetime',
  kind: 'datetime',
  value: ({ scheduledatetime }) => scheduledatetime,
  sortable: true,
  width: 179,
  cardSlot: 'third',
};

export const statusColumn: Column = {
  id: 'deliverystatus',
  labelKey: 'deliveries:fields.deliverystatus',
  kind: 'status',
  value: ({ deliverystatus }) => deliverystatus,
  render: ({ deliverystatus }) => <StatusChip kind="delivery" status={deliverystatus} />,
  sortable: true,
  width: 190,
  cardSlot: 'badge',
};

export const customerColumn: Column = {
  id: 'customername',
  labelKey: 'deliveries:fields.customername',
  kind: 'text',
  value: ({ customername }) => customername,
  sortable: true,
  width: 135,
  grow: 3,
  cardSlot: 'second',
};

export const truckerColumn: Column = {
  id: 'trucker',
  labelKey: 'deliveries:fields.trucker',
  kind: 'text',
  value: ({ trucker }) => trucker,
  width: 120,
  grow: 1,
  priority: 3,
  muted: true,
};

export const shipmentColumn: Column = {
  id: 'shipmentnumber',
  labelKey: 'deliveries:fields.shipmentnumber',
  kind: 'text',
  value: ({ shipmentnumber }) => shipmentnumber,
  width: 132,
  initiallyHidden: true,
};

export const referenceColumn: Column = {
  id: 'referencedoc',
  labelKey: 'deliveries:fields.referencedoc',
  kind: 'text',
  value: ({ referencedoc }) => referencedoc,
  width: 132,
  initiallyHidden: true,
};

export const processedColumn: Column = {
  id: 'deliverydatetime',
  labelKey: 'deliveries:fields.deliverydatetime',
  kind: 'datetime',
  value: ({ deliverydatetime }) => deliverydatetime,
  width: 184,
};
