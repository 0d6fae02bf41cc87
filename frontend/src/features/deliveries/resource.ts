import { deliveryChangedSubscription } from '@/data/use-changes';
import { filters, standingViews, views } from '@/delivery-list/filters';
import { defineResource } from '@/list/resource';
import { routes } from '@/routing/routes';
import { columns } from './columns';
import { DELIVERIES } from './names';
import { deliveriesByViewQuery, deliveriesQuery } from './queries';

export const deliveriesResource = defineResource({
  name: DELIVERIES,
  typename: 'Delivery',
  document: deliveriesQuery,
  toList: ({ deliveries, deliveriesCount }) => ({ rows: deliveries, count: deliveriesCount }),
  rowId: ({ id }) => id,
  rowHref: ({ id }) => routes.viewDelivery({ deliveryId: id }),
  columns,
  filters,
  views: [...standingViews, ...views],
  viewCounts: deliveriesByViewQuery,
  searchElsewhere: { key: 'id', others: ['referencedoc', 'customername'] },
  changes: deliveryChangedSubscription,
  defaultSort: [{ key: 'scheduledatetime', direction: 'desc' }],
  texts: {
    count: 'deliveries:count',
    countOver: 'deliveries:countOver',
    tableName: 'deliveries:table',
    emptyTitle: 'deliveries:empty.title',
    emptyText: 'deliveries:empty.text',
    noMatchTitle: 'deliveries:noMatch',
  },
});
