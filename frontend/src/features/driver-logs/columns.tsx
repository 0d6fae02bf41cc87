import { Link } from 'react-router';
import { ActivityLabel } from '@/driver-activity/activity-label';
import type { ListColumn } from '@/list/resource';
import { routes } from '@/routing/routes';
import { DateTime } from '@/ui/date-time';
import { LateMark } from './components/late-mark';
import type { DriverLogRow } from './queries';

const link = 'text-accent hover:underline focus-visible:outline-offset-1';

export const columns: readonly ListColumn<DriverLogRow>[] = [
  {
    id: 'occurredAt',
    labelKey: 'driver-logs:fields.occurredAt',
    kind: 'id-link',
    value: ({ occurredAt }) => occurredAt,
    render: ({ occurredAt }) => <DateTime instant={occurredAt} inline />,
    sortable: true,
    locked: true,
    width: 186,
    cardSlot: 'third',
  },
  {
    id: 'driverId',
    labelKey: 'driver-logs:fields.driverId',
    kind: 'text',
    value: ({ driverId }) => driverId,
    render: ({ driverId, driverName }) => (
      <>
        <Link to={routes.viewDriver({ driverId })} className={link}>
          {driverName || driverId}
        </Link>
        {driverName && <span className="text-muted tabular-nums"> {driverId}</span>}
      </>
    ),
    sortable: true,
    width: 170,
    grow: 2,
  },
  {
    id: 'activity',
    labelKey: 'driver-logs:fields.activity',
    kind: 'text',
    value: ({ activity }) => activity,
    render: ({ activity }) => <ActivityLabel activity={activity} />,
    sortable: true,
    width: 170,
    grow: 1,
    cardSlot: 'title',
  },
  {
    id: 'deliveryId',
    labelKey: 'driver-logs:fields.deliveryId',
    kind: 'text',
    value: ({ deliveryId }) => deliveryId,
    render: ({ deliveryId }) =>
      deliveryId && (
        <Link to={routes.viewDelivery({ deliveryId })} className={`${link} tabular-nums`}>
          {deliveryId}
        </Link>
      ),
    // A card is a link as a whole, and no link may stand in one.
    cardTextKey: 'driver-logs:card.value',
    width: 130,
    priority: 1,
    cardSlot: 'second-end',
  },
  {
    id: 'marks',
    labelKey: 'driver-logs:fields.marks',
    kind: 'status',
    // Most entries have none, which needs no word.
    value: () => 'marks',
    render: (log) => <LateMark log={log} />,
    width: 86,
    priority: 2,
    cardSlot: 'badge',
  },
  {
    id: 'deviceId',
    labelKey: 'driver-logs:fields.deviceId',
    kind: 'text',
    value: ({ deviceId }) => deviceId,
    width: 120,
    grow: 1,
    priority: 3,
    muted: true,
  },
  {
    id: 'appVersion',
    labelKey: 'driver-logs:fields.appVersion',
    kind: 'text',
    value: ({ appVersion }) => appVersion,
    width: 100,
    priority: 4,
    muted: true,
  },
  {
    id: 'receivedAt',
    labelKey: 'driver-logs:fields.receivedAt',
    kind: 'datetime',
    value: ({ receivedAt }) => receivedAt,
    width: 186,
    initiallyHidden: true,
  },
  {
    id: 'driverName',
    labelKey: 'driver-logs:fields.driverName',
    kind: 'text',
    value: ({ driverName }) => driverName,
    width: 180,
    initiallyHidden: true,
    cardSlot: 'second',
  },
];
