import { Plus } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { WRITE_ROLES } from '@/auth/roles';
import { useAuth } from '@/auth/use-auth';
import {
  CHOICE_OPERATORS,
  defineResource,
  type FilterField,
  type ListColumn,
  type ListView,
  TEXT_OPERATORS,
} from '@/list/resource';
import { ResourceList } from '@/list/resource-list';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { StatusChip } from '@/ui/status-chip';
import { type SourceRow, sourcesByStatusQuery, sourcesQuery } from './queries';
import { sourceStatus } from './source';

const columns: readonly ListColumn<SourceRow>[] = [
  {
    id: 'name',
    labelKey: 'sources:fields.name',
    kind: 'id-link',
    value: ({ name }) => name,
    sortable: true,
    locked: true,
    width: 200,
    grow: 1,
    cardSlot: 'title',
  },
  {
    id: 'isActive',
    labelKey: 'sources:fields.isActive',
    kind: 'status',
    value: sourceStatus,
    render: (row) => <StatusChip kind="source" status={sourceStatus(row)} />,
    sortable: true,
    width: 140,
    cardSlot: 'badge',
  },
  {
    id: 'createdAt',
    labelKey: 'sources:fields.createdAt',
    kind: 'datetime',
    value: ({ createdAt }) => createdAt,
    sortable: true,
    width: 182,
    priority: 1,
    cardSlot: 'second',
  },
  {
    id: 'updatedAt',
    labelKey: 'sources:fields.updatedAt',
    kind: 'datetime',
    value: ({ updatedAt }) => updatedAt,
    width: 182,
    initiallyHidden: true,
  },
];

const STATUSES = [
  { id: 'active', value: 'true', labelKey: 'common:status.source.Active' },
  { id: 'disabled', value: 'false', labelKey: 'common:status.source.Disabled' },
] as const;

const filters: readonly FilterField[] = [
  {
    key: 'name',
    labelKey: 'sources:fields.name',
    kind: 'text',
    operators: TEXT_OPERATORS,
  },
  {
    key: 'isActive',
    labelKey: 'sources:fields.isActive',
    kind: 'yes-no',
    operators: CHOICE_OPERATORS,
    options: STATUSES.map(({ value, labelKey }) => ({ value, labelKey })),
  },
];

/** The ids match the aliases in `sourcesByStatusQuery`. */
const views: readonly ListView[] = [
  { id: 'all', labelKey: 'sources:views.all', filters: [] },
  ...STATUSES.map(({ id, value, labelKey }): ListView => ({
    id,
    labelKey,
    filters: [{ key: 'isActive', operator: 'equals', values: [{ label: value, value }] }],
  })),
];

/** Key of the list in storage and in history entries. */
const SOURCES = 'sources';

const sourcesResource = defineResource({
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

export default function SourcesPage() {
  const { t } = useTranslation('sources');
  const { hasRole } = useAuth();
  const create = hasRole(WRITE_ROLES) && (
    <Button asChild variant="primary" icon={Plus}>
      <Link to={routes.newSource()}>{t('create')}</Link>
    </Button>
  );
  return (
    <PageFrame fill>
      <ResourceList resource={sourcesResource} action={create} emptyAction={create} />
    </PageFrame>
  );
}
