import {
  CircleCheck,
  Ellipsis,
  Eye,
  KeyRound,
  Lock,
  MapPin,
  Package,
  Pencil,
  Smartphone,
  UserPlus,
} from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router';
import { WRITE_ROLES } from '@/auth/roles';
import { useAuth } from '@/auth/use-auth';
import { useTimeZone } from '@/data/use-time-zone';
import { formatAgo } from '@/lib/dates';
import { useRecordNavigate } from '@/list/record-link';
import {
  CHOICE_OPERATORS,
  defineResource,
  type FilterField,
  type ListColumn,
  type ListView,
  OPTIONAL_TEXT_OPERATORS,
  type RowActions,
  TEXT_OPERATORS,
} from '@/list/resource';
import { ResourceList } from '@/list/resource-list';
import { useNarrowScreen } from '@/ui/use-narrow-screen';
import { driverLookup, truckerLookup } from '@/domain/lookups/lookups';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button, IconButton } from '@/ui/button';
import { DateTime } from '@/ui/date-time';
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from '@/ui/dropdown-menu';
import { type DriverStatus, StatusChip, type StatusChipProps } from '@/ui/status-chip';
import { deliveriesAddress, resetPinAddress, StatusDialog } from './driver';
import { Pairing } from './pairing';
import { type DriverRow, driversByStatusQuery, driversQuery } from './queries';

const columns: readonly ListColumn<DriverRow>[] = [
  {
    id: 'driverId',
    labelKey: 'drivers:fields.driverId',
    kind: 'id-link',
    value: ({ driverId }) => driverId,
    sortable: true,
    locked: true,
    width: 110,
    cardSlot: 'second',
  },
  {
    id: 'name',
    labelKey: 'drivers:fields.name',
    kind: 'text',
    value: ({ name }) => name,
    sortable: true,
    width: 140,
    grow: 2,
    cardSlot: 'title',
  },
  {
    id: 'status',
    labelKey: 'drivers:fields.status',
    kind: 'status',
    value: ({ status }) => status,
    render: ({ status }) => <StatusChip kind="driver" status={status} />,
    sortable: true,
    width: 112,
    cardSlot: 'badge',
  },
  {
    id: 'username',
    labelKey: 'drivers:fields.username',
    kind: 'text',
    value: ({ username }) => username,
    width: 110,
    grow: 1,
    priority: 5,
  },
  {
    id: 'trucker',
    labelKey: 'drivers:fields.trucker',
    kind: 'text',
    value: ({ trucker }) => trucker,
    width: 120,
    grow: 1,
    priority: 4,
    muted: true,
  },
  {
    id: 'vehiclePlate',
    labelKey: 'drivers:fields.vehiclePlate',
    kind: 'text',
    value: ({ vehiclePlate }) => vehiclePlate,
    width: 100,
    priority: 3,
    cardSlot: 'third-end',
  },
  {
    id: 'lastSeenAt',
    labelKey: 'drivers:fields.lastSeenAt',
    kind: 'datetime',
    value: ({ lastSeenAt }) => lastSeenAt,
    render: ({ lastSeenAt }) => lastSeenAt && <DateTime instant={lastSeenAt} show="ago" inline />,
    emptyKey: 'common:never',
    sortable: true,
    width: 120,
    priority: 2,
    cardSlot: 'third',
  },
  {
    id: 'onlineState',
    labelKey: 'drivers:fields.onlineState',
    kind: 'status',
    value: ({ onlineState }) => onlineState,
    render: ({ onlineState, lastPosition }) => (
      <OnlineChip state={onlineState} since={lastPosition?.occurredAt} />
    ),
    width: 172,
    priority: 1,
    cardSlot: 'second-end',
  },
  {
    id: 'phone',
    labelKey: 'drivers:fields.phone',
    kind: 'text',
    value: ({ phone }) => phone,
    width: 148,
    initiallyHidden: true,
  },
  {
    id: 'createdAt',
    labelKey: 'drivers:fields.createdAt',
    kind: 'datetime',
    value: ({ createdAt }) => createdAt,
    width: 182,
    initiallyHidden: true,
  },
];

const STATUSES: readonly DriverStatus[] = ['active', 'blocked'];
const statusKey = (status: DriverStatus) => `common:status.driver.${status}` as const;

const filters: readonly FilterField[] = [
  {
    key: 'driverId',
    labelKey: 'drivers:fields.driver',
    kind: 'lookup',
    operators: CHOICE_OPERATORS,
    lookup: driverLookup,
  },
  {
    key: 'status',
    labelKey: 'drivers:fields.status',
    kind: 'enum',
    operators: CHOICE_OPERATORS,
    options: STATUSES.map((status) => ({ value: status, labelKey: statusKey(status) })),
  },
  {
    key: 'name',
    labelKey: 'drivers:fields.name',
    kind: 'text',
    operators: TEXT_OPERATORS,
  },
  {
    key: 'username',
    labelKey: 'drivers:fields.username',
    kind: 'text',
    operators: OPTIONAL_TEXT_OPERATORS,
  },
  {
    key: 'trucker',
    labelKey: 'drivers:fields.trucker',
    kind: 'text',
    operators: OPTIONAL_TEXT_OPERATORS,
    lookup: truckerLookup,
  },
];

/** The ids match the aliases in `driversByStatusQuery`. */
const views: readonly ListView[] = [
  { id: 'all', labelKey: 'drivers:views.all', filters: [] },
  ...STATUSES.map((status): ListView => ({
    id: status,
    labelKey: statusKey(status),
    filters: [{ key: 'status', operator: 'equals', values: [{ label: status, value: status }] }],
  })),
];

/** Key of the list in storage and in history entries. */
const DRIVERS = 'drivers';

const driversResource = defineResource({
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
  // A driver goes offline without an event, so poll.
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

const editHref = ({ driverId }: DriverRow) => routes.editDriver({ driverId });

export default function DriversPage() {
  const { t } = useTranslation('drivers');
  const { hasRole } = useAuth();
  const narrow = useNarrowScreen();
  const [statusOf, setStatusOf] = useState<DriverRow>();
  const [isPairing, setPairing] = useState(false);
  const mayWrite = hasRole(WRITE_ROLES);
  const rowActions = useMemo(
    (): RowActions<DriverRow> => ({
      width: 44,
      onCard: 'beside',
      render: (driver) => <DriverMenu driver={driver} onStatus={setStatusOf} />,
    }),
    [],
  );
  const create = mayWrite && (
    <Button asChild variant="primary" icon={UserPlus}>
      <Link to={routes.newDriver()}>{t(narrow ? 'createShort' : 'create')}</Link>
    </Button>
  );
  return (
    <PageFrame fill>
      {mayWrite && <Pairing isOpen={isPairing} onOpenChange={setPairing} />}
      <ResourceList
        resource={driversResource}
        rowActions={rowActions}
        {...(mayWrite && { editHref })}
        action={
          mayWrite && (
            <>
              <Button
                icon={Smartphone}
                aria-expanded={isPairing}
                aria-label={t('setup.verb')}
                data-tip={narrow ? t('setup.verb') : undefined}
                onClick={() => setPairing(true)}
              >
                {!narrow && t('setup.verb')}
              </Button>
              {create}
            </>
          )
        }
        emptyAction={create}
      />
      {statusOf && <StatusDialog driver={statusOf} onClose={() => setStatusOf(undefined)} />}
    </PageFrame>
  );
}

interface DriverMenuProps {
  driver: DriverRow;
  onStatus: (driver: DriverRow) => void;
}

/** Actions for a driver in the list. */
function DriverMenu({ driver, onStatus }: DriverMenuProps) {
  const { t } = useTranslation('drivers');
  const { hasRole } = useAuth();
  const navigate = useNavigate();
  const { driverId, name, status, username } = driver;
  const isBlocked = status === 'blocked';
  const toRecord = useRecordNavigate();
  const go = (address: string) => () => void navigate(address);
  const open = (address: string) => () => void toRecord(address);
  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild>
        <IconButton icon={Ellipsis} size={28} label={t('menu.open', { name })} />
      </DropdownMenuTrigger>
      <DropdownMenuContent>
        <DropdownMenuItem icon={Eye} onSelect={open(routes.viewDriver({ driverId }))}>
          {t('menu.view')}
        </DropdownMenuItem>
        <DropdownMenuItem icon={MapPin} onSelect={go(routes.driverTracker({ driverId }))}>
          {t('menu.track')}
        </DropdownMenuItem>
        <DropdownMenuItem icon={Package} onSelect={go(deliveriesAddress(driverId, 'open'))}>
          {t('menu.deliveries')}
        </DropdownMenuItem>
        {hasRole(WRITE_ROLES) && (
          <>
            <DropdownMenuSeparator />
            <DropdownMenuItem icon={Pencil} onSelect={open(routes.editDriver({ driverId }))}>
              {t('edit.verb')}
            </DropdownMenuItem>
            <DropdownMenuItem
              icon={KeyRound}
              disabled={isBlocked}
              onSelect={go(resetPinAddress(username))}
            >
              {t('resetPin')}
            </DropdownMenuItem>
            <DropdownMenuItem
              danger={!isBlocked}
              icon={isBlocked ? CircleCheck : Lock}
              onSelect={() => onStatus(driver)}
            >
              {t(isBlocked ? 'permit.verb' : 'block.verb')}
            </DropdownMenuItem>
          </>
        )}
      </DropdownMenuContent>
    </DropdownMenu>
  );
}

interface OnlineChipProps {
  state: Extract<StatusChipProps, { kind: 'online' }>['status'];
  /** The time of the last position, which determines the driver's state. */
  since: string | undefined;
}

/**
 * Shows whether the position of a driver is current. "Last seen" can be newer than the last position, so a stale
 * position shows its own age.
 */
function OnlineChip({ state, since }: OnlineChipProps) {
  const timeZone = useTimeZone();
  return (
    <span className="inline-flex items-center gap-1.5">
      <StatusChip kind="online" status={state} />
      {state === 'stale' && since && (
        <span className="text-xs text-muted tabular-nums">{formatAgo(since, timeZone)}</span>
      )}
    </span>
  );
}
