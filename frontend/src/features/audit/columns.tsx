import type { ListColumn } from '@/list/resource';
import { AuditAction } from './components/audit-action';
import { AuditEntity } from './components/audit-entity';
import { When } from './components/when';
import type { AuditEntry } from './queries';

export const columns: readonly ListColumn<AuditEntry>[] = [
  {
    id: 'at',
    labelKey: 'audit:fields.at',
    kind: 'id-link',
    value: ({ at }) => at,
    render: ({ at }) => <When instant={at} />,
    sortable: true,
    locked: true,
    width: 186,
    cardSlot: 'third',
  },
  {
    id: 'actor',
    labelKey: 'audit:fields.actor',
    kind: 'text',
    value: ({ actor }) => actor,
    cardTextKey: 'audit:card.actor',
    sortable: true,
    width: 140,
    cardSlot: 'second',
  },
  {
    id: 'action',
    labelKey: 'audit:fields.action',
    kind: 'text',
    value: ({ action }) => action,
    render: ({ action }) => <AuditAction action={action} />,
    sortable: true,
    width: 200,
    cardSlot: 'title',
  },
  {
    id: 'entityName',
    labelKey: 'audit:fields.entityName',
    kind: 'text',
    value: ({ entityName }) => entityName || null,
    emptyKey: 'audit:several',
    cardTextKey: 'audit:card.entityName',
    sortable: true,
    width: 140,
    cardSlot: 'second-end',
  },
  {
    id: 'entity',
    labelKey: 'audit:fields.entity',
    kind: 'text',
    value: ({ entity }) => entity,
    render: ({ entity }) => <AuditEntity entity={entity} />,
    sortable: true,
    width: 128,
    muted: true,
    initiallyHidden: true,
  },
  {
    id: 'address',
    labelKey: 'audit:fields.address',
    kind: 'text',
    value: ({ address }) => address,
    sortable: true,
    width: 150,
    muted: true,
    cardSlot: 'third-end',
  },
];
