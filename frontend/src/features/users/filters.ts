import { OFFICE_ROLES } from '@/auth/roles';
import {
  CHOICE_OPERATORS,
  OPTIONAL_RANGE_OPERATORS,
  OPTIONAL_TEXT_OPERATORS,
  RANGE_OPERATORS,
  TEXT_OPERATORS,
  type FilterField,
  type ListView,
} from '@/list/resource';

const STATUSES = ['active', 'invited', 'disabled'] as const;

export const filters: readonly FilterField[] = [
  {
    key: 'username',
    labelKey: 'users:fields.username',
    kind: 'text',
    operators: TEXT_OPERATORS,
  },
  {
    key: 'displayName',
    labelKey: 'users:fields.displayName',
    kind: 'text',
    operators: OPTIONAL_TEXT_OPERATORS,
  },
  {
    key: 'email',
    labelKey: 'users:fields.email',
    kind: 'text',
    operators: OPTIONAL_TEXT_OPERATORS,
  },
  {
    key: 'role',
    labelKey: 'users:fields.role',
    kind: 'enum',
    operators: CHOICE_OPERATORS,
    options: OFFICE_ROLES.map((role) => ({ value: role, labelKey: `common:role.${role}` })),
  },
  {
    key: 'status',
    labelKey: 'users:fields.status',
    kind: 'enum',
    operators: CHOICE_OPERATORS,
    options: STATUSES.map((status) => ({
      value: status,
      labelKey: `common:status.user.${status}`,
    })),
  },
  {
    key: 'lastLoginAt',
    labelKey: 'users:fields.lastLoginAt',
    kind: 'date-range',
    operators: OPTIONAL_RANGE_OPERATORS,
  },
  {
    key: 'createdAt',
    labelKey: 'users:fields.createdAt',
    kind: 'date-range',
    operators: RANGE_OPERATORS,
  },
];

/** Their ids name the counts of `usersByStatusQuery`. */
export const views: readonly ListView[] = [
  { id: 'all', labelKey: 'users:views.all', filters: [] },
  ...STATUSES.map((status): ListView => ({
    id: status,
    labelKey: `common:status.user.${status}`,
    filters: [{ key: 'status', operator: 'equals', values: [{ label: status, value: status }] }],
  })),
];
