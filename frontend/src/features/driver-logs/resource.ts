import { defineResource } from '@/list/resource';
import { routes } from '@/routing/routes';
import { columns } from './columns';
import { filters } from './filters';
import { driverLogsQuery } from './queries';

export const driverLogsResource = defineResource({
  name: 'driver-logs',
  typename: 'DriverLog',
  document: driverLogsQuery,
  toList: ({ driverLogs, driverLogsCount }) => ({ rows: driverLogs, count: driverLogsCount }),
  rowId: ({ id }) => id,
  rowHref: ({ id }) => routes.viewDriverActivityLog({ id }),
  columns,
  filters,
  views: [],
  pollInterval: 30_000,
  defaultSort: [{ key: 'occurredAt', direction: 'desc' }],
  texts: {
    count: 'driver-logs:count',
    countOver: 'driver-logs:countOver',
    tableName: 'driver-logs:table',
    emptyTitle: 'driver-logs:empty.title',
    emptyText: 'driver-logs:empty.text',
    noMatchTitle: 'driver-logs:noMatch',
  },
});
