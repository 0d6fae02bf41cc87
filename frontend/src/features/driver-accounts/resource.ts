import { defineResource } from '@/list/resource';
import { columns } from './columns';
import { filters } from './filters';
import { driverAccountsQuery } from './queries';

export const driverAccountsResource = defineResource({
  name: 'driver-accounts',
  typename: 'DriverAccount',
  document: driverAccountsQuery,
  toList: ({ driverAccounts, driverAccountsCount }) => ({
    rows: driverAccounts,
    count: driverAccountsCount,
  }),
  rowId: ({ id }) => id,
  twoLines: true,
  columns,
  filters,
  views: [],
  defaultSort: [{ key: 'username', direction: 'asc' }],
  texts: {
    count: 'driver-accounts:count',
    countOver: 'driver-accounts:countOver',
    tableName: 'driver-accounts:table',
    emptyTitle: 'driver-accounts:empty.title',
    emptyText: 'driver-accounts:empty.text',
    noMatchTitle: 'driver-accounts:noMatch',
  },
});
