import { defineResource } from '@/list/resource';
import { columns } from './columns';
import { filters } from './filters';
import { auditEntriesQuery } from './queries';

export const auditResource = defineResource({
  name: 'audit',
  typename: 'AuditEntry',
  document: auditEntriesQuery,
  toList: ({ auditEntries, auditEntriesCount }) => ({
    rows: auditEntries,
    count: auditEntriesCount,
  }),
  rowId: ({ id }) => id,
  columns,
  filters,
  views: [],
  defaultSort: [{ key: 'at', direction: 'desc' }],
  texts: {
    count: 'audit:count',
    countOver: 'audit:countOver',
    tableName: 'audit:table',
    emptyTitle: 'audit:empty.title',
    emptyText: 'audit:empty.text',
    noMatchTitle: 'audit:noMatch',
  },
});
