import type { ListColumn } from '@/list/resource';
import { StatusChip } from '@/ui/status-chip';
import { LastSeen } from './components/last-seen';
import { OnlineChip } from './components/online-chip';
import type { DriverRow } from './queries';

export const columns: readonly ListColumn<DriverRow>[] = [
  {
    id: 'driverId',
    labelKey: 'drivers:fields.driverId',
    kind: 'id-link',
    value: ({ driverId }) => driverId,
    sortable: true,
    locked: true,
    width: 132,
    cardSlot: 'second',
  },
  {
    id: 'name',
    labelKey: 'drivers:fields.name',
    kind: 'text',
    value: ({ name }) => name,
    sortable: true,
    width: 184,
    cardSlot: 'title',
  },
  {
    id: 'status',
    labelKey: 'drivers:fields.status',
    kind: 'status',
    value: ({ status }) => status,
    render: ({ status }) => <StatusChip kind="driver" status={status} />,
    sortable: true,
    width: 118,
    cardSlot: 'badge',
  },
  {
    id: 'username',
    labelKey: 'drivers:fields.username',
    kind: 'text',
    value: ({ username }) => username,
    width: 140,
  },
  {
    id: 'trucker',
    labelKey: 'drivers:fields.trucker',
    kind: 'text',
    value: ({ trucker }) => trucker,
    width: 150,
    muted: true,
  },
  {
    id: 'vehiclePlate',
    labelKey: 'drivers:fields.vehiclePlate',
    kind: 'text',
    value: ({ vehiclePlate }) => vehiclePlate,
    width: 112,
    cardSlot: 'third-end',
  },
  {
    id: 'lastSeenAt',
    labelKey: 'drivers:fields.lastSeenAt',
    kind: 'datetime',
    value: ({ lastSeenAt }) => lastSeenAt,
    render: ({ lastSeenAt }) => lastSeenAt && <LastSeen instant={lastSeenAt} />,
    emptyKey: 'common:never',
    sortable: true,
    width: 138,
    cardSlot: 'third',
  },
  {
    id: 'onlineState',
    labelKey: 'drivers:fields.onlineState',
    kind: 'status',
    value: ({ onlineState }) => onlineState,
    render: ({ onlineState, lastPosition }) => (
      <OnlineChip state={onlineState} since={lastPosition?.occurredAt} />
    ),
    width: 172,
    cardSlot: 'second-end',
  },
  {
    id: 'phone',
    labelKey: 'drivers:fields.phone',
    kind: 'text',
    value: ({ phone }) => phone,
    width: 148,
    initiallyHidden: true,
  },
  {
    id: 'createdAt',
    labelKey: 'drivers:fields.createdAt',
    kind: 'datetime',
    value: ({ createdAt }) => createdAt,
    width: 182,
    initiallyHidden: true,
  },
];
