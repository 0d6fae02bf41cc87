import { deliveryChangedSubscription } from '@/data/use-delivery-changes';
import { defineResource } from '@/list/resource';
import { columns } from './columns';
import { filters } from './filters';
import { historiesQuery } from './queries';

export const historiesResource = defineResource({
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
  changes: deliveryChangedSubscription,
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
