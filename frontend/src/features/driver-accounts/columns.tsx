import { Link } from 'react-router';
import type { ListColumn } from '@/list/resource';
import { routes } from '@/routing/routes';
import { Avatar } from '@/ui/avatar';
import { StatusChip } from '@/ui/status-chip';
import type { DriverAccountRow } from './queries';

export const columns: readonly ListColumn<DriverAccountRow>[] = [
  {
    id: 'username',
    labelKey: 'driver-accounts:fields.username',
    kind: 'id-link',
    value: ({ username }) => username,
    lead: ({ username, status }) => <Avatar name={username} muted={status === 'disabled'} />,
    secondary: ({ displayName }) => displayName,
    sortable: true,
    locked: true,
    width: 180,
    grow: 1,
    cardSlot: 'title',
  },
  {
    id: 'displayName',
    labelKey: 'driver-accounts:fields.displayName',
    kind: 'text',
    value: ({ displayName }) => displayName,
    sortable: true,
    width: 200,
    initiallyHidden: true,
    cardSlot: 'second',
  },
  {
    id: 'driverId',
    labelKey: 'driver-accounts:fields.driverId',
    kind: 'text',
    value: ({ driverId }) => driverId,
    render: ({ driverId }) =>
      driverId && (
        <Link
          to={routes.viewDriver({ driverId })}
          className="text-accent tabular-nums hover:underline focus-visible:outline-offset-1"
        >
          {driverId}
        </Link>
      ),
    sortable: true,
    width: 120,
    priority: 2,
    cardSlot: 'second-end',
  },
  {
    id: 'status',
    labelKey: 'driver-accounts:fields.status',
    kind: 'status',
    value: ({ status }) => status,
    render: ({ status }) => <StatusChip kind="driverAccount" status={status} />,
    sortable: true,
    width: 140,
    cardSlot: 'badge',
  },
  {
    id: 'lastLoginAt',
    labelKey: 'driver-accounts:fields.lastLoginAt',
    kind: 'datetime',
    value: ({ lastLoginAt }) => lastLoginAt,
    emptyKey: 'common:never',
    sortable: true,
    width: 182,
    priority: 1,
    cardSlot: 'third',
  },
];
