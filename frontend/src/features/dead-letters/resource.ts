import { defineResource } from '@/list/resource';
import { routes } from '@/routing/routes';
import { failedColumns, sentColumns } from './columns';
import { failedFilters, sentFilters } from './filters';
import { failedQuery, sentQuery } from './queries';

/** Sends happen by themselves, and nothing tells of each. */
const POLL_INTERVAL_MS = 15_000;

export const failedResource = defineResource({
  name: 'dead-letters',
  typename: 'DeadLetter',
  document: failedQuery,
  toList: ({ deliveryDeadLetters, deliveryDeadLettersCount }) => ({
    rows: deliveryDeadLetters,
    count: deliveryDeadLettersCount,
  }),
  rowId: ({ id }) => id,
  rowHref: ({ id }) => routes.deadLetter({ id }),
  columns: failedColumns,
  filters: failedFilters,
  views: [],
  pollInterval: POLL_INTERVAL_MS,
  defaultSort: [{ key: 'createdAt', direction: 'desc' }],
  texts: {
    count: 'dead-letters:count',
    countOver: 'dead-letters:countOver',
    tableName: 'dead-letters:table',
    emptyTitle: 'dead-letters:empty.title',
    emptyText: 'dead-letters:empty.text',
    noMatchTitle: 'dead-letters:noMatch',
  },
});

export const sentResource = defineResource({
  name: 'sent-letters',
  typename: 'DeadLetter',
  document: sentQuery,
  toList: ({ deliveryDeadLetters, deliveryDeadLettersCount }) => ({
    rows: deliveryDeadLetters,
    count: deliveryDeadLettersCount,
  }),
  rowId: ({ id }) => id,
  rowHref: ({ id }) => routes.deadLetter({ id }),
  columns: sentColumns,
  filters: sentFilters,
  views: [],
  pollInterval: POLL_INTERVAL_MS,
  defaultSort: [{ key: 'processedAt', direction: 'desc' }],
  texts: {
    count: 'dead-letters:count',
    countOver: 'dead-letters:countOver',
    tableName: 'dead-letters:sentTable',
    emptyTitle: 'dead-letters:sentEmpty.title',
    emptyText: 'dead-letters:sentEmpty.text',
    noMatchTitle: 'dead-letters:noMatch',
  },
});
