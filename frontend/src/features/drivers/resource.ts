import { defineResource } from '@/list/resource';
import { routes } from '@/routing/routes';
import { columns } from './columns';
import { filters, views } from './filters';
import { DRIVERS } from './names';
import { driversByStatusQuery, driversQuery } from './queries';

export const driversResource = defineResource({
  name: DRIVERS,
  typename: 'Driver',
  document: driversQuery,
  toList: ({ drivers, driversCount }) => ({ rows: drivers, count: driversCount }),
  rowId: ({ driverId }) => driverId,
  rowHref: ({ driverId }) => routes.viewDriver({ driverId }),
  columns,
  filters,
  views,
  viewCounts: driversByStatusQuery,
  // Who is online changes without anybody doing something.
  pollInterval: 30_000,
  defaultSort: [{ key: 'name', direction: 'asc' }],
  texts: {
    count: 'drivers:count',
    countOver: 'drivers:countOver',
    tableName: 'drivers:table',
    emptyTitle: 'drivers:empty.title',
    emptyText: 'drivers:empty.text',
    noMatchTitle: 'drivers:noMatch',
  },
});
