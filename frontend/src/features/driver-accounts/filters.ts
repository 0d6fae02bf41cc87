import {
  CHOICE_OPERATORS,
  OPTIONAL_RANGE_OPERATORS,
  TEXT_OPERATORS,
  type FilterField,
} from '@/list/resource';

const STATUSES = ['active', 'invited', 'disabled'] as const;

export const filters: readonly FilterField[] = [
  {
    key: 'username',
    labelKey: 'driver-accounts:fields.username',
    kind: 'text',
    operators: TEXT_OPERATORS,
  },
  {
    key: 'displayName',
    labelKey: 'driver-accounts:fields.displayName',
    kind: 'text',
    operators: TEXT_OPERATORS,
  },
  {
    key: 'driverId',
    labelKey: 'driver-accounts:fields.driverId',
    kind: 'text',
    operators: TEXT_OPERATORS,
  },
  {
    key: 'status',
    labelKey: 'driver-accounts:fields.status',
    kind: 'enum',
    operators: CHOICE_OPERATORS,
    options: STATUSES.map((status) => ({
      value: status,
      labelKey: `common:status.driverAccount.${status}`,
    })),
  },
  {
    key: 'lastLoginAt',
    labelKey: 'driver-accounts:fields.lastLoginAt',
    kind: 'date-range',
    operators: OPTIONAL_RANGE_OPERATORS,
  },
];
