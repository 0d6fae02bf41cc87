import type { ListColumn } from '@/list/resource';
import { StatusChip } from '@/ui/status-chip';
import type { SourceRow } from './queries';
import { sourceStatus } from './status';

export const columns: readonly ListColumn<SourceRow>[] = [
  {
    id: 'name',
    labelKey: 'sources:fields.name',
    kind: 'id-link',
    value: ({ name }) => name,
    sortable: true,
    locked: true,
    width: 200,
    grow: 1,
    cardSlot: 'title',
  },
  {
    id: 'isActive',
    labelKey: 'sources:fields.isActive',
    kind: 'status',
    value: sourceStatus,
    render: (row) => <StatusChip kind="source" status={sourceStatus(row)} />,
    sortable: true,
    width: 140,
    cardSlot: 'badge',
  },
  {
    id: 'createdAt',
    labelKey: 'sources:fields.createdAt',
    kind: 'datetime',
    value: ({ createdAt }) => createdAt,
    sortable: true,
    width: 182,
    priority: 1,
    cardSlot: 'second',
  },
  {
    id: 'updatedAt',
    labelKey: 'sources:fields.updatedAt',
    kind: 'datetime',
    value: ({ updatedAt }) => updatedAt,
    width: 182,
    initiallyHidden: true,
  },
];
