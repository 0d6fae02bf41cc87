import {
  CHOICE_OPERATORS,
  OPTIONAL_TEXT_OPERATORS,
  TEXT_OPERATORS,
  type FilterField,
  type ListView,
} from '@/list/resource';
import { driverLookup, truckerLookup } from '@/lookups/lookups';
import type { DriverStatus } from '@/ui/statuses';

const STATUSES: readonly DriverStatus[] = ['active', 'blocked'];
const statusKey = (status: DriverStatus) => `common:status.driver.${status}`;

export const filters: readonly FilterField[] = [
  {
    key: 'driverId',
    labelKey: 'drivers:fields.driver',
    kind: 'lookup',
    operators: CHOICE_OPERATORS,
    lookup: driverLookup,
  },
  {
    key: 'status',
    labelKey: 'drivers:fields.status',
    kind: 'enum',
    operators: CHOICE_OPERATORS,
    options: STATUSES.map((status) => ({ value: status, labelKey: statusKey(status) })),
  },
  {
    key: 'name',
    labelKey: 'drivers:fields.name',
    kind: 'text',
    operators: TEXT_OPERATORS,
  },
  {
    key: 'username',
    labelKey: 'drivers:fields.username',
    kind: 'text',
    operators: OPTIONAL_TEXT_OPERATORS,
  },
  {
    key: 'trucker',
    labelKey: 'drivers:fields.trucker',
    kind: 'text',
    operators: OPTIONAL_TEXT_OPERATORS,
    lookup: truckerLookup,
  },
];

/** Their ids name the counts of `driversByStatusQuery`. */
export const views: readonly ListView[] = [
  { id: 'all', labelKey: 'drivers:views.all', filters: [] },
  ...STATUSES.map((status): ListView => ({
    id: status,
    labelKey: statusKey(status),
    filters: [{ key: 'status', operator: 'equals', values: [{ label: status, value: status }] }],
  })),
];
