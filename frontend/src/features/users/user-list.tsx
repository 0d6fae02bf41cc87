import { OFFICE_ROLES } from '@/auth/roles';
import {
  CHOICE_OPERATORS,
  defineResource,
  type FilterField,
  type ListColumn,
  type ListView,
  OPTIONAL_RANGE_OPERATORS,
  OPTIONAL_TEXT_OPERATORS,
  RANGE_OPERATORS,
  TEXT_OPERATORS,
} from '@/list/resource';
import { routes } from '@/routing/routes';
import { Avatar } from '@/ui/avatar';
import { StatusChip } from '@/ui/status-chip';
import { type UserRow, usersByStatusQuery, usersQuery } from './queries';
import { RoleTags } from './roles';

const columns: readonly ListColumn<UserRow>[] = [
  {
    id: 'username',
    labelKey: 'users:fields.username',
    kind: 'id-link',
    value: ({ username }) => username,
    lead: ({ username, status }) => <Avatar name={username} muted={status === 'disabled'} />,
    secondary: ({ displayName }) => displayName,
    sortable: true,
    locked: true,
    width: 140,
    grow: 1,
    cardSlot: 'title',
  },
  {
    id: 'displayName',
    labelKey: 'users:fields.displayName',
    kind: 'text',
    value: ({ displayName }) => displayName,
    sortable: true,
    width: 180,
    initiallyHidden: true,
    cardSlot: 'second',
  },
  {
    id: 'email',
    labelKey: 'users:fields.email',
    kind: 'text',
    value: ({ email }) => email,
    sortable: true,
    width: 150,
    grow: 1,
    priority: 2,
    muted: true,
    cardSlot: 'third',
  },
  {
    id: 'role',
    labelKey: 'users:fields.roles',
    kind: 'status',
    value: ({ roles }) => roles.join(' ') || 'none',
    render: ({ roles }) => <RoleTags roles={roles} room={2} />,
    width: 224,
    cardSlot: 'second-end',
  },
  {
    id: 'status',
    labelKey: 'users:fields.status',
    kind: 'status',
    value: ({ status }) => status,
    render: ({ status }) => <StatusChip kind="user" status={status} />,
    sortable: true,
    width: 106,
    cardSlot: 'badge',
  },
  {
    id: 'lastLoginAt',
    labelKey: 'users:fields.lastLoginAt',
    kind: 'datetime',
    value: ({ lastLoginAt }) => lastLoginAt,
    emptyKey: 'common:never',
    sortable: true,
    width: 182,
    priority: 1,
    cardSlot: 'third-end',
  },
  {
    id: 'createdAt',
    labelKey: 'users:fields.createdAt',
    kind: 'datetime',
    value: ({ createdAt }) => createdAt,
    sortable: true,
    width: 182,
    initiallyHidden: true,
  },
  {
    id: 'createdBy',
    labelKey: 'users:fields.createdBy',
    kind: 'text',
    value: ({ createdBy }) => createdBy,
    width: 140,
    initiallyHidden: true,
  },
];

const STATUSES = ['active', 'invited', 'disabled'] as const;

const filters: readonly FilterField[] = [
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

/** The ids match the aliases in `usersByStatusQuery`. */
const views: readonly ListView[] = [
  { id: 'all', labelKey: 'users:views.all', filters: [] },
  ...STATUSES.map((status): ListView => ({
    id: status,
    labelKey: `common:status.user.${status}`,
    filters: [{ key: 'status', operator: 'equals', values: [{ label: status, value: status }] }],
  })),
];

/** Key of the list in storage and in history entries. */
const USERS = 'users';

export const usersResource = defineResource({
  name: USERS,
  typename: 'User',
  document: usersQuery,
  toList: ({ users, usersCount }) => ({ rows: users, count: usersCount }),
  rowId: ({ id }) => id,
  rowHref: ({ id }) => routes.viewUser({ id }),
  twoLines: true,
  columns,
  filters,
  views,
  viewCounts: usersByStatusQuery,
  defaultSort: [{ key: 'username', direction: 'asc' }],
  texts: {
    count: 'users:count',
    countOver: 'users:countOver',
    tableName: 'users:table',
    emptyTitle: 'users:empty.title',
    emptyText: 'users:empty.text',
    noMatchTitle: 'users:noMatch',
  },
});

const shown = ['username', 'displayName', 'email', 'status', 'lastLoginAt'];

/** The same list with fewer columns and without views. */
export const resetPasswordResource = defineResource({
  ...usersResource,
  name: 'user-reset-password',
  columns: columns.filter(({ id }) => shown.includes(id)),
  views: [],
});
