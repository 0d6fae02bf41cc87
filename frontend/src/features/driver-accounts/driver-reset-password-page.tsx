import { KeyRound } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import {
  CHOICE_OPERATORS,
  defineResource,
  type FilterField,
  type ListColumn,
  OPTIONAL_RANGE_OPERATORS,
  type RowActions,
  TEXT_OPERATORS,
} from '@/list/resource';
import { ResourceList } from '@/list/resource-list';
import { ROW_LINK } from '@/list/list-shortcuts';
import { ResetLinkDialog } from '@/domain/reset-links';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Avatar } from '@/ui/avatar';
import { Button } from '@/ui/button';
import { StatusChip } from '@/ui/status-chip';
import { type DriverAccountRow, driverAccountsQuery } from './queries';

const columns: readonly ListColumn<DriverAccountRow>[] = [
  {
    id: 'username',
    labelKey: 'driver-accounts:fields.username',
    kind: 'id-link',
    value: ({ username }) => username,
    lead: ({ username, status }) => <Avatar name={username} muted={status === 'disabled'} />,
    secondary: ({ displayName }) => displayName,
    sortable: true,
    locked: true,
    width: 180,
    grow: 1,
    cardSlot: 'title',
  },
  {
    id: 'displayName',
    labelKey: 'driver-accounts:fields.displayName',
    kind: 'text',
    value: ({ displayName }) => displayName,
    sortable: true,
    width: 200,
    initiallyHidden: true,
    cardSlot: 'second',
  },
  {
    id: 'driverId',
    labelKey: 'driver-accounts:fields.driverId',
    kind: 'text',
    value: ({ driverId }) => driverId,
    render: ({ driverId }) =>
      driverId && (
        <Link
          to={routes.viewDriver({ driverId })}
          className="text-accent tabular-nums hover:underline focus-visible:outline-offset-1"
        >
          {driverId}
        </Link>
      ),
    sortable: true,
    width: 120,
    priority: 2,
    cardSlot: 'second-end',
  },
  {
    id: 'status',
    labelKey: 'driver-accounts:fields.status',
    kind: 'status',
    value: ({ status }) => status,
    render: ({ status }) => <StatusChip kind="driverAccount" status={status} />,
    sortable: true,
    width: 140,
    cardSlot: 'badge',
  },
  {
    id: 'lastLoginAt',
    labelKey: 'driver-accounts:fields.lastLoginAt',
    kind: 'datetime',
    value: ({ lastLoginAt }) => lastLoginAt,
    emptyKey: 'common:never',
    sortable: true,
    width: 182,
    priority: 1,
    cardSlot: 'third',
  },
];

const STATUSES = ['active', 'invited', 'disabled'] as const;

const filters: readonly FilterField[] = [
  {
    key: 'username',
    labelKey: 'driver-accounts:fields.username',
    kind: 'text',
    operators: TEXT_OPERATORS,
  },
  {
    key: 'displayName',
    labelKey: 'driver-accounts:fields.displayName',
    kind: 'text',
    operators: TEXT_OPERATORS,
  },
  {
    key: 'driverId',
    labelKey: 'driver-accounts:fields.driverId',
    kind: 'text',
    operators: TEXT_OPERATORS,
  },
  {
    key: 'status',
    labelKey: 'driver-accounts:fields.status',
    kind: 'enum',
    operators: CHOICE_OPERATORS,
    options: STATUSES.map((status) => ({
      value: status,
      labelKey: `common:status.driverAccount.${status}`,
    })),
  },
  {
    key: 'lastLoginAt',
    labelKey: 'driver-accounts:fields.lastLoginAt',
    kind: 'date-range',
    operators: OPTIONAL_RANGE_OPERATORS,
  },
];

const driverAccountsResource = defineResource({
  name: 'driver-accounts',
  typename: 'DriverAccount',
  document: driverAccountsQuery,
  toList: ({ driverAccounts, driverAccountsCount }) => ({
    rows: driverAccounts,
    count: driverAccountsCount,
  }),
  rowId: ({ id }) => id,
  twoLines: true,
  columns,
  filters,
  views: [],
  defaultSort: [{ key: 'username', direction: 'asc' }],
  texts: {
    count: 'driver-accounts:count',
    countOver: 'driver-accounts:countOver',
    tableName: 'driver-accounts:table',
    emptyTitle: 'driver-accounts:empty.title',
    emptyText: 'driver-accounts:empty.text',
    noMatchTitle: 'driver-accounts:noMatch',
  },
});

export default function DriverResetPasswordPage() {
  const { t } = useTranslation('driver-accounts');
  const [linkFor, setLinkFor] = useState<DriverAccountRow>();
  const rowActions = useMemo(
    (): RowActions<DriverAccountRow> => ({
      width: 200,
      onCard: 'below',
      render: ({ status, username, ...rest }) => (
        <Button
          // Rows link to no page, so the list shortcuts move between these buttons.
          {...{ [ROW_LINK]: '' }}
          size={28}
          icon={KeyRound}
          disabled={status === 'disabled'}
          title={status === 'disabled' ? t('blocked') : undefined}
          aria-label={t('createFor', { username })}
          onClick={() => setLinkFor({ status, username, ...rest })}
        >
          {t('create')}
        </Button>
      ),
    }),
    [t],
  );
  return (
    <PageFrame fill>
      <ResourceList resource={driverAccountsResource} rowActions={rowActions} />
      {linkFor && (
        <ResetLinkDialog account={linkFor} kind="pin" onClose={() => setLinkFor(undefined)} />
      )}
    </PageFrame>
  );
}
