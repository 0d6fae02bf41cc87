// Filters shared by all lists of deliveries.
import type { Filter } from '@/list/filters-codec';
import {
  CHOICE_OPERATORS,
  OPTIONAL_CHOICE_OPERATORS,
  OPTIONAL_RANGE_OPERATORS,
  OPTIONAL_TEXT_OPERATORS,
  RANGE_OPERATORS,
  TEXT_OPERATORS,
  type FilterField,
  type ListView,
} from '@/list/resource';
import {
  customerLookup,
  deliveryLookup,
  driverLookup,
  outcomeReasonLookup,
  reasonLookup,
  sourceLookup,
  truckerLookup,
  uploadLogLookup,
} from '@/domain/lookups/lookups';
import type { DeliveryStatus, ShipmentStatus } from '@/ui/status-chip';

const statuses: readonly DeliveryStatus[] = [
  'Pending',
  'Complete_No_Variance',
  'Complete_With_Variance',
  'Undelivered',
  'Rejected',
];
const shipmentStatuses: readonly ShipmentStatus[] = ['Pending', 'Partial', 'Completed'];
const statusKey = (status: DeliveryStatus) => `common:status.delivery.${status}` as const;

export const filters: readonly FilterField[] = [
  {
    key: 'id',
    labelKey: 'deliveries:fields.id',
    kind: 'text',
    operators: TEXT_OPERATORS,
    lookup: deliveryLookup,
  },
  {
    key: 'customername',
    labelKey: 'deliveries:fields.customername',
    kind: 'text',
    operators: TEXT_OPERATORS,
    lookup: customerLookup,
  },
  {
    key: 'trucker',
    labelKey: 'deliveries:fields.trucker',
    kind: 'text',
    operators: OPTIONAL_TEXT_OPERATORS,
    lookup: truckerLookup,
  },
  {
    key: 'dateRange',
    path: 'scheduledatetime',
    labelKey: 'deliveries:fields.dateRange',
    kind: 'date-range',
    operators: RANGE_OPERATORS,
  },
  {
    key: 'deliverystatus',
    labelKey: 'deliveries:fields.deliverystatus',
    kind: 'enum',
    operators: CHOICE_OPERATORS,
    options: statuses.map((status) => ({ value: status, labelKey: statusKey(status) })),
  },
  {
    key: 'reason',
    labelKey: 'deliveries:fields.reason',
    kind: 'text',
    operators: OPTIONAL_TEXT_OPERATORS,
    lookup: reasonLookup,
  },
  {
    key: 'outcomeReason',
    labelKey: 'deliveries:outcomeReason',
    kind: 'lookup',
    operators: OPTIONAL_CHOICE_OPERATORS,
    lookup: outcomeReasonLookup,
  },
  {
    key: 'scanmode',
    labelKey: 'deliveries:fields.scanmode',
    kind: 'yes-no',
    operators: CHOICE_OPERATORS,
    options: [
      { value: 'Yes', labelKey: 'deliveries:yes' },
      { value: 'No', labelKey: 'deliveries:no' },
    ],
  },
  {
    key: 'shipmentnumber',
    labelKey: 'deliveries:fields.shipmentnumber',
    kind: 'text',
    operators: TEXT_OPERATORS,
  },
  {
    key: 'shipmentstatus',
    labelKey: 'deliveries:fields.shipmentstatus',
    kind: 'enum',
    operators: CHOICE_OPERATORS,
    options: shipmentStatuses.map((status) => ({
      value: status,
      labelKey: `common:status.shipment.${status}`,
    })),
  },
  {
    key: 'scheduledatetime',
    labelKey: 'deliveries:fields.scheduledatetime',
    kind: 'date-range',
    times: true,
    operators: RANGE_OPERATORS,
  },
  {
    key: 'deliverydatetime',
    labelKey: 'deliveries:fields.deliverydatetime',
    kind: 'date-range',
    times: true,
    operators: OPTIONAL_RANGE_OPERATORS,
  },
  {
    key: 'referencedoc',
    labelKey: 'deliveries:fields.referencedoc',
    kind: 'text',
    operators: OPTIONAL_TEXT_OPERATORS,
  },
  {
    key: 'driverId',
    labelKey: 'deliveries:fields.driverId',
    kind: 'text',
    operators: OPTIONAL_TEXT_OPERATORS,
    lookup: driverLookup,
  },
  {
    key: 'sourceId',
    labelKey: 'deliveries:fields.sourceId',
    kind: 'lookup',
    operators: OPTIONAL_CHOICE_OPERATORS,
    lookup: sourceLookup,
  },
  {
    key: 'uploadLogId',
    labelKey: 'deliveries:fields.uploadLogId',
    kind: 'lookup',
    operators: OPTIONAL_CHOICE_OPERATORS,
    lookup: uploadLogLookup,
  },
  {
    key: 'dueAt',
    labelKey: 'deliveries:fields.dueAt',
    kind: 'date-range',
    times: true,
    operators: RANGE_OPERATORS,
  },
  {
    key: 'conflict',
    labelKey: 'deliveries:fields.conflict',
    kind: 'yes-no',
    operators: CHOICE_OPERATORS,
    options: [
      { value: 'Yes', labelKey: 'deliveries:yes' },
      { value: 'No', labelKey: 'deliveries:no' },
    ],
  },
];

const pending: Filter = {
  key: 'deliverystatus',
  operator: 'equals',
  values: [{ label: 'Pending', value: 'Pending' }],
};

/** Views for the start of the day. The ids match the aliases in the list's count query. */
export const standingViews: readonly ListView[] = [
  {
    id: 'today',
    labelKey: 'deliveries:views.today',
    standing: true,
    filters: [
      { key: 'dateRange', operator: 'inDateRange', values: [{ label: 'today', value: 'today' }] },
    ],
  },
  {
    id: 'late',
    labelKey: 'deliveries:views.late',
    standing: true,
    filters: [
      pending,
      { key: 'dueAt', operator: 'inDateRange', values: [{ label: 'past', value: 'past' }] },
    ],
  },
  {
    id: 'unassigned',
    labelKey: 'deliveries:views.unassigned',
    standing: true,
    filters: [pending, { key: 'driverId', operator: 'isEmpty', values: [] }],
  },
  {
    id: 'conflicts',
    labelKey: 'deliveries:views.conflicts',
    standing: true,
    filters: [
      { key: 'conflict', operator: 'equals', values: [{ label: 'Yes', value: 'Yes' }] },
    ],
  },
];

/** The ids match the aliases in the list's count query. */
export const views: readonly ListView[] = [
  { id: 'all', labelKey: 'deliveries:views.all', filters: [] },
  ...statuses.map((status): ListView => ({
    id: status,
    labelKey: statusKey(status),
    filters: [
      {
        key: 'deliverystatus',
        operator: 'equals',
        values: [{ label: status, value: status }],
      },
    ],
  })),
];
