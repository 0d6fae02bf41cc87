import { defineResource } from '@/list/resource';
import { routes } from '@/routing/routes';
import { columns } from './columns';
import { filters, views } from './filters';
import { SOURCES } from './names';
import { sourcesByStatusQuery, sourcesQuery } from './queries';

export const sourcesResource = defineResource({
  name: SOURCES,
  typename: 'Source',
  document: sourcesQuery,
  toList: ({ sources, sourcesCount }) => ({ rows: sources, count: sourcesCount }),
  rowId: ({ id }) => id,
  rowHref: ({ id }) => routes.viewSource({ sourceId: id }),
  columns,
  filters,
  views,
  viewCounts: sourcesByStatusQuery,
  defaultSort: [{ key: 'name', direction: 'asc' }],
  texts: {
    count: 'sources:count',
    countOver: 'sources:countOver',
    tableName: 'sources:table',
    emptyTitle: 'sources:empty.title',
    emptyText: 'sources:empty.text',
    noMatchTitle: 'sources:noMatch',
  },
});
