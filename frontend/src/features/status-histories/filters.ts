import {
  CHOICE_OPERATORS,
  OPTIONAL_CHOICE_OPERATORS,
  RANGE_OPERATORS,
  TEXT_OPERATORS,
  type FilterField,
  type FilterOption,
} from '@/list/resource';
import { deliveryLookup } from '@/lookups/lookups';
import { reasonCodeLookup } from './reason-lookup';

const statuses: readonly FilterOption[] = [
  'Pending',
  'Complete_No_Variance',
  'Complete_With_Variance',
  'Undelivered',
  'Rejected',
].map((status) => ({ value: status, labelKey: `common:status.delivery.${status}` }));

const actors: readonly FilterOption[] = ['driver', 'user', 'system', 'import', 'api'].map(
  (actor) => ({ value: actor, labelKey: `status-histories:actors.${actor}` }),
);

export const filters: readonly FilterField[] = [
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
    lookup: reasonCodeLookup,
  },
];
