import { Link } from 'react-router';
import { ACTIVITIES, ActivityLabel, LateMark } from '@/domain/driver-activity';
import {
  CHOICE_OPERATORS,
  defineResource,
  type FilterField,
  type ListColumn,
  OPTIONAL_TEXT_OPERATORS,
  RANGE_OPERATORS,
} from '@/list/resource';
import { ResourceList } from '@/list/resource-list';
import { deliveryLookup, driverLookup } from '@/domain/lookups/lookups';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { DateTime } from '@/ui/date-time';
import { type DriverLogRow, driverLogsQuery } from './queries';

const link = 'text-accent hover:underline focus-visible:outline-offset-1';

const columns: readonly ListColumn<DriverLogRow>[] = [
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
    // The whole card is a link, so it must not contain another link.
    cardTextKey: 'driver-logs:card.value',
    width: 130,
    priority: 1,
    cardSlot: 'second-end',
  },
  {
    id: 'marks',
    labelKey: 'driver-logs:fields.marks',
    kind: 'status',
    // The cells are usually empty. A value that is not empty keeps the list from showing a placeholder in them.
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

const filters: readonly FilterField[] = [
  {
    key: 'driverId',
    labelKey: 'driver-logs:fields.driverId',
    kind: 'lookup',
    operators: CHOICE_OPERATORS,
    lookup: driverLookup,
  },
  {
    key: 'deliveryId',
    labelKey: 'driver-logs:fields.deliveryId',
    kind: 'text',
    operators: OPTIONAL_TEXT_OPERATORS,
    lookup: deliveryLookup,
  },
  {
    key: 'activity',
    labelKey: 'driver-logs:fields.activity',
    kind: 'enum',
    operators: CHOICE_OPERATORS,
    options: ACTIVITIES.map((activity) => ({
      value: activity,
      labelKey: `driver-activity:activities.${activity}`,
    })),
  },
  {
    key: 'occurredAt',
    labelKey: 'driver-logs:fields.dateRange',
    kind: 'date-range',
    operators: RANGE_OPERATORS,
  },
];

const driverLogsResource = defineResource({
  name: 'driver-logs',
  typename: 'DriverLog',
  document: driverLogsQuery,
  toList: ({ driverLogs, driverLogsCount }) => ({ rows: driverLogs, count: driverLogsCount }),
  rowId: ({ id }) => id,
  rowHref: ({ id }) => routes.viewDriverActivityLog({ id }),
  columns,
  filters,
  views: [],
  pollInterval: 30_000,
  defaultSort: [{ key: 'occurredAt', direction: 'desc' }],
  texts: {
    count: 'driver-logs:count',
    countOver: 'driver-logs:countOver',
    tableName: 'driver-logs:table',
    emptyTitle: 'driver-logs:empty.title',
    emptyText: 'driver-logs:empty.text',
    noMatchTitle: 'driver-logs:noMatch',
  },
});

export default function DriverLogsPage() {
  return (
    <PageFrame fill>
      <ResourceList resource={driverLogsResource} />
    </PageFrame>
  );
}
