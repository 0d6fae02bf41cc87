import { defineResource } from '@/list/resource';
import { routes } from '@/routing/routes';
import { columns } from './columns';
import { filters, views } from './filters';
import { USERS } from './names';
import { usersByStatusQuery, usersQuery } from './queries';

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
