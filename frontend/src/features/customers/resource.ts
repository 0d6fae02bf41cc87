import { defineResource } from '@/list/resource';
import { routes } from '@/routing/routes';
import { columns } from './columns';
import { filters } from './filters';
import { CUSTOMERS } from './names';
import { customersQuery } from './queries';

export const customersResource = defineResource({
  name: CUSTOMERS,
  typename: 'Customer',
  document: customersQuery,
  toList: ({ customers, customersCount }) => ({ rows: customers, count: customersCount }),
  rowId: ({ customerName }) => customerName,
  rowHref: ({ customerName }) => routes.viewCustomer({ customerName }),
  columns,
  filters,
  views: [],
  defaultSort: [{ key: 'customerName', direction: 'asc' }],
  texts: {
    count: 'customers:count',
    countOver: 'customers:countOver',
    tableName: 'customers:table',
    emptyTitle: 'customers:empty.title',
    emptyText: 'customers:empty.text',
    noMatchTitle: 'customers:noMatch',
  },
});
