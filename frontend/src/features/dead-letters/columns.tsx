import { useTranslation } from 'react-i18next';
import type { ListColumn } from '@/list/resource';
import { StatusChip } from '@/ui/status-chip';
import type { FailedRow, SentRow } from './queries';
import { letterState } from './state';

function Method({ method }: { method: string }) {
  const { t } = useTranslation('dead-letters');
  return <>{t(`methods.${method}`)}</>;
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

export const failedColumns: readonly ListColumn<FailedRow>[] = [
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
    id: 'createdAt',
    labelKey: 'dead-letters:fields.createdAt',
    kind: 'datetime',
    value: ({ createdAt }) => createdAt,
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

export const sentColumns: readonly ListColumn<SentRow>[] = [
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
    value: ({ createdAt, attempts }) => (attempts > 1 ? createdAt : undefined),
    emptyKey: 'dead-letters:neverFailed',
    sortable: true,
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
