import { Ellipsis, Eye, Pencil, Plus, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { SEVERITIES, SeverityLabel } from '@/domain/announcements';
import { useRecordNavigate } from '@/list/record-link';
import {
  CHOICE_OPERATORS,
  defineResource,
  type FilterField,
  type FindField,
  type ListColumn,
  type ListView,
  OPTIONAL_RANGE_OPERATORS,
  RANGE_OPERATORS,
  type RowActions,
  TEXT_OPERATORS,
} from '@/list/resource';
import { ResourceList } from '@/list/resource-list';
import { useNarrowScreen } from '@/ui/use-narrow-screen';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button, IconButton } from '@/ui/button';
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from '@/ui/dropdown-menu';
import { StatusChip } from '@/ui/status-chip';
import { announcementState, Audience, DeleteAnnouncementDialog, STATES } from './announcement';
import { type AnnouncementRow, announcementsByStateQuery, announcementsQuery } from './queries';

const columns: readonly ListColumn<AnnouncementRow>[] = [
  {
    id: 'title',
    labelKey: 'announcements:fields.title',
    kind: 'id-link',
    value: ({ title }) => title,
    secondary: (row) => <Audience announcement={row} />,
    sortable: true,
    locked: true,
    width: 220,
    grow: 1,
    cardSlot: 'title',
  },
  {
    id: 'severity',
    labelKey: 'announcements:fields.severity',
    kind: 'status',
    value: ({ severity }) => severity,
    render: ({ severity }) => <SeverityLabel severity={severity} />,
    sortable: true,
    width: 110,
    cardSlot: 'second-end',
  },
  {
    id: 'state',
    labelKey: 'announcements:fields.state',
    kind: 'status',
    value: (row) => announcementState(row),
    render: (row) => <StatusChip kind="announcement" status={announcementState(row)} />,
    width: 116,
    cardSlot: 'badge',
  },
  {
    id: 'startsAt',
    labelKey: 'announcements:fields.startsAt',
    kind: 'datetime',
    value: ({ startsAt }) => startsAt,
    sortable: true,
    width: 182,
    cardSlot: 'third',
  },
  {
    id: 'endsAt',
    labelKey: 'announcements:fields.endsAt',
    kind: 'datetime',
    value: ({ endsAt }) => endsAt,
    emptyKey: 'announcements:noEnd',
    sortable: true,
    width: 182,
    priority: 1,
    cardSlot: 'third-end',
  },
  {
    id: 'seenCount',
    labelKey: 'announcements:fields.seenCount',
    kind: 'number',
    value: ({ seenCount }) => seenCount,
    sortable: true,
    width: 100,
    priority: 2,
  },
  {
    id: 'audience',
    labelKey: 'announcements:fields.audience',
    kind: 'status',
    value: ({ audienceRoles, audienceUsers }) =>
      [...audienceRoles, ...audienceUsers].join(' ') || 'everybody',
    render: (row) => <Audience announcement={row} />,
    width: 220,
    initiallyHidden: true,
    cardSlot: 'second',
  },
  {
    id: 'message',
    labelKey: 'announcements:fields.message',
    kind: 'text',
    value: ({ message }) => message,
    width: 320,
    initiallyHidden: true,
  },
  {
    id: 'createdAt',
    labelKey: 'announcements:fields.createdAt',
    kind: 'datetime',
    value: ({ createdAt }) => createdAt,
    sortable: true,
    width: 182,
    initiallyHidden: true,
  },
  {
    id: 'createdBy',
    labelKey: 'announcements:fields.createdBy',
    kind: 'text',
    value: ({ createdBy }) => createdBy,
    width: 140,
    initiallyHidden: true,
  },
];

const filters: readonly FilterField[] = [
  {
    key: 'title',
    labelKey: 'announcements:fields.title',
    kind: 'text',
    operators: TEXT_OPERATORS,
  },
  {
    key: 'severity',
    labelKey: 'announcements:fields.severity',
    kind: 'enum',
    operators: CHOICE_OPERATORS,
    options: SEVERITIES.map((severity) => ({
      value: severity,
      labelKey: `common:severity.${severity}`,
    })),
  },
  {
    key: 'state',
    labelKey: 'announcements:fields.state',
    kind: 'enum',
    operators: CHOICE_OPERATORS,
    options: STATES.map((state) => ({
      value: state,
      labelKey: `common:status.announcement.${state}`,
    })),
  },
  {
    key: 'startsAt',
    labelKey: 'announcements:fields.startsAt',
    kind: 'date-range',
    operators: RANGE_OPERATORS,
  },
  {
    key: 'endsAt',
    labelKey: 'announcements:fields.endsAt',
    kind: 'date-range',
    operators: OPTIONAL_RANGE_OPERATORS,
  },
];

/** The ids match the aliases in `announcementsByStateQuery`. */
const views: readonly ListView[] = [
  { id: 'all', labelKey: 'announcements:views.all', filters: [] },
  ...STATES.map((state): ListView => ({
    id: state,
    labelKey: `common:status.announcement.${state}`,
    filters: [{ key: 'state', operator: 'equals', values: [{ label: state, value: state }] }],
  })),
];

/** Polls, because the server pushes neither read receipts nor the start and end of announcements. */
const POLL_INTERVAL_MS = 60_000;

const announcementsResource = defineResource({
  name: 'announcements',
  typename: 'Announcement',
  document: announcementsQuery,
  toList: ({ announcements, announcementsCount }) => ({
    rows: announcements,
    count: announcementsCount,
  }),
  rowId: ({ id }) => id,
  rowHref: ({ id }) => routes.viewAnnouncement({ id }),
  twoLines: true,
  columns,
  filters,
  views,
  viewCounts: announcementsByStateQuery,
  pollInterval: POLL_INTERVAL_MS,
  defaultSort: [{ key: 'startsAt', direction: 'desc' }],
  texts: {
    count: 'announcements:count',
    countOver: 'announcements:countOver',
    tableName: 'announcements:table',
    emptyTitle: 'announcements:empty.title',
    emptyText: 'announcements:empty.text',
    noMatchTitle: 'announcements:noMatch',
  },
});

const find: FindField = { key: 'title', labelKey: 'announcements:fields.title' };

export default function AnnouncementsPage() {
  const { t } = useTranslation('announcements');
  const narrow = useNarrowScreen();
  const [deleting, setDeleting] = useState<AnnouncementRow>();
  const rowActions = useMemo(
    (): RowActions<AnnouncementRow> => ({
      width: 44,
      onCard: 'beside',
      render: (row) => <AnnouncementMenu announcement={row} onDelete={setDeleting} />,
    }),
    [],
  );
  const create = (
    <Button asChild variant="primary" icon={Plus}>
      <Link to={routes.newAnnouncement()}>{t(narrow ? 'createShort' : 'create')}</Link>
    </Button>
  );
  return (
    <PageFrame fill>
      <ResourceList
        resource={announcementsResource}
        find={find}
        rowActions={rowActions}
        editHref={({ id }) => routes.editAnnouncement({ id })}
        action={create}
        emptyAction={create}
      />
      {deleting && (
        <DeleteAnnouncementDialog
          announcement={deleting}
          onClose={() => setDeleting(undefined)}
        />
      )}
    </PageFrame>
  );
}

interface AnnouncementMenuProps {
  announcement: AnnouncementRow;
  onDelete: (announcement: AnnouncementRow) => void;
}

/** Row actions of an announcement. */
function AnnouncementMenu({ announcement, onDelete }: AnnouncementMenuProps) {
  const { t } = useTranslation('announcements');
  const navigate = useRecordNavigate();
  const { id, title } = announcement;
  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild>
        <IconButton icon={Ellipsis} size={28} label={t('menu.open', { title })} />
      </DropdownMenuTrigger>
      <DropdownMenuContent>
        <DropdownMenuItem
          icon={Eye}
          onSelect={() => void navigate(routes.viewAnnouncement({ id }))}
        >
          {t('menu.view')}
        </DropdownMenuItem>
        <DropdownMenuItem
          icon={Pencil}
          onSelect={() => void navigate(routes.editAnnouncement({ id }))}
        >
          {t('edit.verb')}
        </DropdownMenuItem>
        <DropdownMenuSeparator />
        <DropdownMenuItem danger icon={Trash2} onSelect={() => onDelete(announcement)}>
          {t('delete.verb')}
        </DropdownMenuItem>
      </DropdownMenuContent>
    </DropdownMenu>
  );
}
