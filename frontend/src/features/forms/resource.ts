import { deliveryChangedSubscription } from '@/data/use-delivery-changes';
import { filters, views } from '@/delivery-list/filters';
import { defineResource } from '@/list/resource';
import { routes } from '@/routing/routes';
import { columns } from './columns';
import { FORMS } from './names';
import { formsByStatusQuery, formsQuery } from './queries';

export const formsResource = defineResource({
  name: FORMS,
  typename: 'Delivery',
  document: formsQuery,
  toList: ({ deliveries, deliveriesCount }) => ({ rows: deliveries, count: deliveriesCount }),
  rowId: ({ id }) => id,
  rowHref: ({ id }) => routes.viewForm({ deliveryId: id }),
  columns,
  filters,
  views,
  viewCounts: formsByStatusQuery,
  changes: deliveryChangedSubscription,
  defaultSort: [{ key: 'scheduledatetime', direction: 'desc' }],
  texts: {
    count: 'deliveries:count',
    countOver: 'deliveries:countOver',
    tableName: 'forms:table',
    emptyTitle: 'forms:empty.title',
    emptyText: 'forms:empty.text',
    noMatchTitle: 'forms:noMatch',
  },
});
