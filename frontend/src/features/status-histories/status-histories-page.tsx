import { Link } from 'react-router';
import { deliveriesChangedSubscription } from '@/data/use-changes';
import {
  CHOICE_OPERATORS,
  defineResource,
  type FilterField,
  type FilterOption,
  type ListColumn,
  OPTIONAL_CHOICE_OPERATORS,
  RANGE_OPERATORS,
  TEXT_OPERATORS,
} from '@/list/resource';
import { ResourceList } from '@/list/resource-list';
import { deliveryLookup, outcomeReasonLookup } from '@/domain/lookups/lookups';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { DateTime } from '@/ui/date-time';
import { historiesQuery, type HistoryStep } from './queries';
import { Actor, ReasonLabel, StatusStep, StepMarks, StepPanel } from './step-panel';

/** Only `occurredAt` is sortable, because the history has millions of steps and no index for other orders. */
const columns: readonly ListColumn<HistoryStep>[] = [
  {
    id: 'occurredAt',
    labelKey: 'status-histories:fields.occurredAt',
    kind: 'id-link',
    value: ({ occurredAt }) => occurredAt,
    render: ({ occurredAt }) => <DateTime instant={occurredAt} inline />,
    sortable: true,
    locked: true,
    width: 182,
    cardSlot: 'third',
  },
  {
    id: 'deliveryId',
    labelKey: 'status-histories:fields.deliveryId',
    kind: 'text',
    value: ({ deliveryId }) => deliveryId,
    render: ({ deliveryId }) => (
      <Link
        to={routes.viewDelivery({ deliveryId })}
        className="text-accent tabular-nums hover:underline focus-visible:outline-offset-1"
      >
        {deliveryId}
      </Link>
    ),
    // The whole card is a button, so it must not contain a link.
    cardTextKey: 'status-histories:card.deliveryId',
    width: 124,
    cardSlot: 'title',
  },
  {
    id: 'toStatus',
    labelKey: 'status-histories:fields.toStatus',
    kind: 'status',
    value: ({ toStatus }) => toStatus,
    render: (step) => <StatusStep step={step} />,
    width: 340,
    cardSlot: 'second',
  },
  {
    id: 'attempt',
    labelKey: 'status-histories:fields.attempt',
    kind: 'number',
    value: ({ attempt }) => attempt,
    width: 84,
    priority: 5,
  },
  {
    id: 'actorName',
    labelKey: 'status-histories:fields.actorName',
    kind: 'text',
    value: ({ actorName, actorType }) => actorName || actorType,
    render: (step) => <Actor step={step} />,
    width: 130,
    grow: 1,
    priority: 2,
    cardSlot: 'third-end',
  },
  {
    id: 'reasonCode',
    labelKey: 'status-histories:fields.reasonCode',
    kind: 'text',
    value: ({ reasonCode }) => reasonCode,
    render: (step) => <ReasonLabel step={step} />,
    width: 140,
    grow: 1,
    priority: 1,
  },
  {
    id: 'marks',
    labelKey: 'status-histories:fields.marks',
    kind: 'status',
    // The cells are usually empty. A value that is not empty keeps the list from showing a placeholder in them.
    value: () => 'marks',
    render: (step) => <StepMarks step={step} />,
    width: 180,
    priority: 3,
    cardSlot: 'second-end',
  },
  {
    id: 'note',
    labelKey: 'status-histories:fields.note',
    kind: 'text',
    value: ({ note }) => note,
    width: 160,
    grow: 2,
    priority: 4,
    muted: true,
  },
  {
    id: 'receivedAt',
    labelKey: 'status-histories:fields.receivedAt',
    kind: 'datetime',
    value: ({ receivedAt }) => receivedAt,
    width: 182,
    initiallyHidden: true,
  },
  {
    id: 'shipmentnumber',
    labelKey: 'status-histories:fields.shipmentnumber',
    kind: 'text',
    value: ({ shipmentnumber }) => shipmentnumber,
    width: 132,
    initiallyHidden: true,
  },
];

const STATUSES = [
  'Pending',
  'Complete_No_Variance',
  'Complete_With_Variance',
  'Undelivered',
  'Rejected',
] as const;
const statuses = STATUSES.map((status): FilterOption => ({ value: status, labelKey: `common:status.delivery.${status}` }));

const ACTORS = ['driver', 'user', 'system', 'import', 'api'] as const;
const actors = ACTORS.map((actor): FilterOption => ({ value: actor, labelKey: `status-histories:actors.${actor}` }));

const filters: readonly FilterField[] = [
  {
    key: 'deliveryId',
    labelKey: 'status-histories:fields.deliveryId',
    kind: 'text',
    operators: TEXT_OPERATORS,
    lookup: deliveryLookup,
  },
  {
    key: 'toStatus',
    labelKey: 'status-histories:fields.toStatus',
    kind: 'enum',
    operators: CHOICE_OPERATORS,
    options: statuses,
  },
  {
    key: 'fromStatus',
    labelKey: 'status-histories:fields.fromStatus',
    kind: 'enum',
    operators: OPTIONAL_CHOICE_OPERATORS,
    options: statuses,
  },
  {
    key: 'occurredAt',
    labelKey: 'status-histories:fields.occurredAt',
    kind: 'date-range',
    operators: RANGE_OPERATORS,
  },
  {
    key: 'receivedAt',
    labelKey: 'status-histories:fields.receivedAt',
    kind: 'date-range',
    operators: RANGE_OPERATORS,
  },
  {
    key: 'shipmentnumber',
    labelKey: 'status-histories:fields.shipmentnumber',
    kind: 'text',
    operators: TEXT_OPERATORS,
  },
  {
    key: 'actorType',
    labelKey: 'status-histories:fields.actorType',
    kind: 'enum',
    operators: CHOICE_OPERATORS,
    options: actors,
  },
  {
    key: 'actorName',
    labelKey: 'status-histories:fields.actorName',
    kind: 'text',
    operators: TEXT_OPERATORS,
  },
  {
    key: 'reasonCode',
    labelKey: 'status-histories:fields.reasonCode',
    kind: 'lookup',
    operators: CHOICE_OPERATORS,
    lookup: outcomeReasonLookup,
  },
];

const historiesResource = defineResource({
  name: 'statusHistories',
  typename: 'DeliveryStatusHistory',
  document: historiesQuery,
  toList: ({ deliveryStatusHistories, deliveryStatusHistoriesCount }) => ({
    rows: deliveryStatusHistories,
    count: deliveryStatusHistoriesCount,
  }),
  rowId: ({ id }) => id,
  columns,
  filters,
  views: [],
  changes: deliveriesChangedSubscription,
  defaultSort: [{ key: 'occurredAt', direction: 'desc' }],
  texts: {
    count: 'status-histories:count',
    countOver: 'status-histories:countOver',
    tableName: 'status-histories:table',
    emptyTitle: 'status-histories:empty.title',
    emptyText: 'status-histories:empty.text',
    noMatchTitle: 'status-histories:noMatch',
  },
});

export default function StatusHistoriesPage() {
  return (
    <PageFrame fill>
      <ResourceList resource={historiesResource} rowPanel={StepPanel} />
    </PageFrame>
  );
}
