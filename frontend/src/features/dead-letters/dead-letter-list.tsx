import { useTranslation } from 'react-i18next';
import { useNameOf } from '@/i18n/texts';
import type { Filter } from '@/list/filters-codec';
import {
  CHOICE_OPERATORS,
  defineResource,
  type FilterField,
  type ListColumn,
  type Lookup,
  RANGE_OPERATORS,
  TEXT_OPERATORS,
} from '@/list/resource';
import { failedLetterLookup, sentLetterLookup } from '@/domain/lookups/lookups';
import { routes } from '@/routing/routes';
import { type DeadLetterState, StatusChip } from '@/ui/status-chip';
import { failedQuery, type FailedRow, sentQuery, type SentRow } from './queries';

const STATES: readonly DeadLetterState[] = [
  'queued',
  'scheduled_retry',
  'failed',
  'success',
  'discarded',
];

/** Parses the state of a letter. States of a newer server count as failed, so that someone checks them. */
export function letterState(text: string): DeadLetterState {
  return STATES.find((state) => state === text) ?? 'failed';
}

function Method({ method }: { method: string }) {
  return useNameOf()('dead-letters:methods', method);
}

/** Returns when a letter first failed, if it ever did. */
export function failureTime({ createdAt, neverFailed }: Pick<SentRow, 'createdAt' | 'neverFailed'>) {
  return neverFailed ? undefined : createdAt;
}

function Title({ row }: { row: FailedRow | SentRow }) {
  const { t } = useTranslation('dead-letters');
  return <>{row.deliveryId || t('noDelivery')}</>;
}

function both<Row extends FailedRow | SentRow>(): ListColumn<Row>[] {
  return [
    {
      id: 'deliveryId',
      labelKey: 'dead-letters:fields.deliveryId',
      kind: 'id-link',
      value: ({ deliveryId }) => deliveryId,
      render: (row) => <Title row={row} />,
      sortable: true,
      locked: true,
      width: 150,
      cardSlot: 'title',
    },
    {
      id: 'method',
      labelKey: 'dead-letters:fields.method',
      kind: 'text',
      value: ({ method }) => method,
      render: ({ method }) => <Method method={method} />,
      width: 100,
      cardSlot: 'second',
    },
    {
      id: 'endpointName',
      labelKey: 'dead-letters:fields.endpoint',
      kind: 'text',
      value: ({ endpointName }) => endpointName,
      emptyKey: 'dead-letters:noEndpoint',
      width: 140,
      priority: 2,
    },
  ];
}

const failedColumns: readonly ListColumn<FailedRow>[] = [
  ...both<FailedRow>(),
  {
    id: 'state',
    labelKey: 'dead-letters:fields.state',
    kind: 'status',
    value: ({ state }) => state,
    render: ({ state }) => <StatusChip kind="deadLetter" status={letterState(state)} />,
    width: 140,
    cardSlot: 'badge',
  },
  {
    id: 'errorText',
    labelKey: 'dead-letters:fields.error',
    kind: 'text',
    value: ({ errorText }) => errorText,
    width: 200,
    grow: 1,
    cardSlot: 'third',
  },
  {
    id: 'attempts',
    labelKey: 'dead-letters:fields.attempts',
    kind: 'number',
    value: ({ attempts }) => attempts,
    width: 90,
    priority: 3,
  },
  {
    id: 'resends',
    labelKey: 'dead-letters:fields.resends',
    kind: 'number',
    value: ({ resends }) => resends,
    width: 80,
    priority: 4,
  },
  {
    id: 'createdAt',
    labelKey: 'dead-letters:fields.createdAt',
    kind: 'datetime',
    value: failureTime,
    emptyKey: 'dead-letters:neverFailed',
    sortable: true,
    width: 182,
    cardSlot: 'second-end',
  },
  {
    id: 'nextAttemptAt',
    labelKey: 'dead-letters:fields.nextAttemptAt',
    kind: 'datetime',
    value: ({ nextAttemptAt }) => nextAttemptAt,
    emptyKey: 'dead-letters:noNext',
    width: 182,
    priority: 1,
  },
];

const sentColumns: readonly ListColumn<SentRow>[] = [
  ...both<SentRow>(),
  {
    id: 'attempts',
    labelKey: 'dead-letters:fields.attempts',
    kind: 'number',
    value: ({ attempts }) => attempts,
    width: 90,
    priority: 3,
  },
  {
    id: 'createdAt',
    labelKey: 'dead-letters:fields.createdAt',
    kind: 'datetime',
    value: failureTime,
    emptyKey: 'dead-letters:neverFailed',
    width: 182,
    priority: 1,
  },
  {
    id: 'processedAt',
    labelKey: 'dead-letters:fields.processedAt',
    kind: 'datetime',
    value: ({ processedAt }) => processedAt,
    sortable: true,
    width: 182,
    grow: 1,
    cardSlot: 'second-end',
  },
];

/** Methods that an endpoint can receive. */
export const SENT_METHODS = [
  'create',
  'update',
  'status',
  'variance',
  'form',
  'cancel',
  'correction',
] as const;

/** All methods of dead letters. An `event` is an event that one of Waybill's own consumers gave up. */
const METHODS = [...SENT_METHODS, 'event'] as const;

function deliveryDoc(lookup: Lookup): FilterField {
  return {
    key: 'deliveryId',
    labelKey: 'dead-letters:fields.deliveryId',
    kind: 'text',
    operators: TEXT_OPERATORS,
    lookup,
  };
}

const method: FilterField = {
  key: 'method',
  labelKey: 'dead-letters:fields.method',
  kind: 'enum',
  operators: CHOICE_OPERATORS,
  options: METHODS.map((value) => ({ value, labelKey: `dead-letters:methods.${value}` })),
};

const failedAt: FilterField = {
  key: 'createdAt',
  labelKey: 'dead-letters:fields.createdAt',
  kind: 'date-range',
  operators: RANGE_OPERATORS,
};

const sentAt: FilterField = {
  key: 'processedAt',
  labelKey: 'dead-letters:fields.processedAt',
  kind: 'date-range',
  operators: RANGE_OPERATORS,
};

/** Keys of the filters that select the messages of one group. */
export const ERROR_KEY = 'errorFingerprint';
export const ENDPOINT_KEY = 'endpointId';
export const STATE_KEY = 'state';

/** States of messages to fix. */
const TO_FIX: readonly DeadLetterState[] = ['scheduled_retry', 'failed'];

const failedFilters: readonly FilterField[] = [
  failedAt,
  method,
  deliveryDoc(failedLetterLookup),
  {
    key: ERROR_KEY,
    labelKey: 'dead-letters:fields.error',
    kind: 'text',
    operators: ['equals'],
    linkOnly: true,
  },
  {
    key: ENDPOINT_KEY,
    labelKey: 'dead-letters:fields.endpoint',
    kind: 'text',
    operators: ['equals'],
    linkOnly: true,
  },
  {
    key: STATE_KEY,
    labelKey: 'dead-letters:fields.state',
    kind: 'enum',
    operators: ['equals'],
    options: TO_FIX.map((value) => ({ value, labelKey: `common:status.deadLetter.${value}` })),
    linkOnly: true,
  },
];

/** Returns the filters without those that select one group. */
export function withoutGroup(filters: readonly Filter[]): Filter[] {
  return filters.filter(({ key }) => ![ERROR_KEY, ENDPOINT_KEY, STATE_KEY].includes(key));
}

const sentFilters: readonly FilterField[] = [failedAt, sentAt, method, deliveryDoc(sentLetterLookup)];

/** Polls, because the server does not push changes of dead letters. */
export const POLL_INTERVAL_MS = 15_000;

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
