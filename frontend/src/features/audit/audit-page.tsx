import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { type TextGroup, useNameOf, useText } from '@/i18n/texts';
import {
  CHOICE_OPERATORS,
  defineResource,
  type FilterField,
  type ListColumn,
  RANGE_OPERATORS,
  TEXT_OPERATORS,
} from '@/list/resource';
import { ResourceList } from '@/list/resource-list';
import type { RowPanelProps } from '@/list/row-panel';
import { PageFrame } from '@/shell/page-frame';
import { DateTime } from '@/ui/date-time';
import { Fact, Facts } from '@/ui/panel';
import { SidePanel } from '@/ui/side-panel';
import { Table, type TableColumn } from '@/ui/table';
import { type Change, changesOf } from './changes';
import { entityLink } from './entity-link';
import { auditEntriesQuery, type AuditEntry } from './queries';

/** Recorded actions, each with a label; an unknown action of a newer server shows its ID. */
export const AUDIT_ACTIONS = [
  'admin.created',
  'user.created',
  'user.signed_up',
  'user.updated',
  'user.roles_changed',
  'user.status_changed',
  'user.reset_link_created',
  'user.password_reset',
  'user.password_changed',
  'user.sessions_ended',
  'session.ended',
  'driver_account.created',
  'driver_account.updated',
  'driver_account.blocked',
  'driver_account.unblocked',
  'driver_account.reset_link_created',
  'driver_account.pin_set',
  'driver.created',
  'driver.updated',
  'driver.blocked',
  'driver.unblocked',
  'device.paired',
  'device.unpaired',
  'setting.updated',
  'logo.updated',
  'announcement.created',
  'announcement.updated',
  'announcement.deleted',
  'report_setting.created',
  'report_setting.updated',
  'report_setting.deleted',
  'report_schedule.created',
  'report_schedule.updated',
  'report_schedule.deleted',
  'report_schedule.paused',
  'report_schedule.resumed',
  'report_schedule.send_requested',
  'report_schedule.report_mailed',
  'report_schedule.schedule_paused',
  'reason.updated',
  'customer.updated',
  'source.created',
  'source.updated',
  'import.started',
  'import.undone',
  'import.corrected',
  'import.canceled',
  'dead_letter.resent',
  'dead_letter.discarded',
  'endpoint.created',
  'endpoint.updated',
  'endpoint.deleted',
  'endpoint.rotated',
  'endpoint.resumed',
  'analytics.rebuild_requested',
  'producer.created',
  'producer.updated',
  'producer.deleted',
  'producer.rotated',
  'deliveries.exported',
  'driver_positions.exported',
  'forms.exported',
  'proof.viewed',
  'driver_location.viewed',
  'driver_log.viewed',
  'analytics.queried',
] as const;

export const AUDIT_ENTITIES = [
  'user',
  'driver_account',
  'session',
  'driver',
  'device',
  'setting',
  'logo',
  'announcement',
  'report_setting',
  'delivery',
  'reason',
  'customer',
  'source',
  'import',
  'dead_letter',
  'endpoint',
  'analytics',
  'producer',
] as const;

/** Whether the action only read data. If so, its entry shows the request instead of changes. */
function isReading(action: string): boolean {
  return ['.exported', '.viewed', '.queried'].some((end) => action.endsWith(end));
}

type NameOfAction<Action extends string> = Action extends `${infer Kind}.${infer Act}` ? `${Kind}_${Act}` : never;

/** Returns the translation key of an action. It contains no dot, because dots in keys separate levels. */
function actionName<Action extends string>(action: Action): NameOfAction<Action> {
  // TypeScript does not infer the result of `replace`.
  return action.replace('.', '_') as NameOfAction<Action>;
}

const columns: readonly ListColumn<AuditEntry>[] = [
  {
    id: 'at',
    labelKey: 'audit:fields.at',
    kind: 'id-link',
    value: ({ at }) => at,
    render: ({ at }) => <DateTime instant={at} inline />,
    sortable: true,
    locked: true,
    width: 186,
    cardSlot: 'third',
  },
  {
    id: 'actor',
    labelKey: 'audit:fields.actor',
    kind: 'text',
    value: ({ actor }) => actor,
    cardTextKey: 'audit:card.actor',
    sortable: true,
    width: 120,
    grow: 1,
    cardSlot: 'second',
  },
  {
    id: 'action',
    labelKey: 'audit:fields.action',
    kind: 'text',
    value: ({ action }) => action,
    render: ({ action }) => <AuditAction action={action} />,
    sortable: true,
    width: 170,
    grow: 1,
    cardSlot: 'title',
  },
  {
    id: 'entityName',
    labelKey: 'audit:fields.entityName',
    kind: 'text',
    value: ({ entityName }) => entityName || null,
    emptyKey: 'audit:several',
    cardTextKey: 'audit:card.entityName',
    sortable: true,
    width: 130,
    grow: 2,
    cardSlot: 'second-end',
  },
  {
    id: 'entity',
    labelKey: 'audit:fields.entity',
    kind: 'text',
    value: ({ entity }) => entity,
    render: ({ entity }) => <AuditEntity entity={entity} />,
    sortable: true,
    width: 128,
    muted: true,
    initiallyHidden: true,
  },
  {
    id: 'address',
    labelKey: 'audit:fields.address',
    kind: 'text',
    value: ({ address }) => address,
    sortable: true,
    width: 140,
    priority: 1,
    muted: true,
    cardSlot: 'third-end',
  },
];

const filters: readonly FilterField[] = [
  {
    key: 'at',
    labelKey: 'audit:fields.at',
    kind: 'date-range',
    operators: RANGE_OPERATORS,
  },
  {
    key: 'actor',
    labelKey: 'audit:fields.actor',
    kind: 'text',
    operators: TEXT_OPERATORS,
  },
  {
    key: 'action',
    labelKey: 'audit:fields.action',
    kind: 'enum',
    operators: CHOICE_OPERATORS,
    options: AUDIT_ACTIONS.map((action) => ({ value: action, labelKey: `audit:actions.${actionName(action)}` as const })),
  },
  {
    key: 'entityName',
    labelKey: 'audit:fields.entityName',
    kind: 'text',
    operators: TEXT_OPERATORS,
  },
  {
    key: 'entity',
    labelKey: 'audit:fields.entity',
    kind: 'enum',
    operators: CHOICE_OPERATORS,
    options: AUDIT_ENTITIES.map((entity) => ({
      value: entity,
      labelKey: `audit:entities.${entity}`,
    })),
  },
  {
    key: 'address',
    labelKey: 'audit:fields.address',
    kind: 'text',
    operators: TEXT_OPERATORS,
  },
];

const auditResource = defineResource({
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

export default function AuditPage() {
  return (
    <PageFrame fill>
      <ResourceList resource={auditResource} rowPanel={AuditPanel} />
    </PageFrame>
  );
}

/** Details of one entry. */
function AuditPanel({ row: entry, ...frame }: RowPanelProps<AuditEntry>) {
  const { t } = useTranslation(['audit', 'common']);
  const { action, actor, address, at, entity, entityId, entityName, requestId } = entry;
  const link = entityLink(entry);
  const none = t('none', { ns: 'common' });
  return (
    <SidePanel
      title={<AuditAction action={action} />}
      subtitle={<DateTime instant={at} />}
      {...frame}
    >
      <Facts columns={2} className="mb-5 grid-cols-2">
        <Fact label={t('fields.actor')} value={actor} />
        <Fact label={t('fields.address')} value={address} empty={t('panel.noAddress')} />
        <Fact
          label={t('fields.entityName')}
          value={
            link ? (
              <Link to={link} className="font-medium text-accent hover:underline">
                {entityName || entityId}
              </Link>
            ) : (
              entityName
            )
          }
          empty={t('several')}
        />
        <Fact label={t('fields.entity')} value={<AuditEntity entity={entity} />} />
        <Fact label={t('panel.requestId')} value={requestId} empty={none} />
        <Fact label={t('panel.action')} value={action} />
      </Facts>
      <h3 className="mb-2 text-sm font-semibold">
        {t(isReading(action) ? 'changes.asked' : 'changes.title')}
      </h3>
      <ChangesTable entry={entry} />
    </SidePanel>
  );
}

function AuditAction({ action }: { action: string }) {
  const known = AUDIT_ACTIONS.find((own) => own === action);
  const textOf = useText();
  return known ? textOf(`audit:actions.${actionName(known)}`) : action;
}

function AuditEntity({ entity }: { entity: string }) {
  return useNameOf()('audit:entities', entity);
}

/** Changed fields with the values before and after, or the request of a read. */
function ChangesTable({ entry }: { entry: AuditEntry }) {
  const { t } = useTranslation('audit');
  const nameOf = useNameOf();
  const changes = changesOf(entry.before, entry.after);
  const reading = isReading(entry.action);
  const statusesOf = (field: string) => STATUSES[`${entry.entity}.${field}`];
  const show = (field: string, value: unknown) => <ChangeValue value={value} statuses={statusesOf(field)} />;
  if (changes.length === 0) return <p className="text-sm text-muted">{t('changes.none')}</p>;
  const columns: (TableColumn<Change> | false)[] = [
    {
      id: 'field',
      header: t('changes.field'),
      render: ({ field }) => nameOf('audit:changes.fields', statusesOf(field) ? 'status' : field),
      names: true,
      className: 'w-1/3',
    },
    !reading && { id: 'before', header: t('changes.before'), render: ({ field, before }) => show(field, before) },
    {
      id: 'after',
      header: t(reading ? 'changes.value' : 'changes.after'),
      render: ({ field, after }) => show(field, after),
      cellClassName: 'font-medium',
    },
  ];
  return (
    <div className="overflow-hidden rounded-control border border-line">
      <Table
        look="facts"
        caption={t(reading ? 'changes.asked' : 'changes.title')}
        columns={columns.filter((column) => column !== false)}
        rows={changes}
        rowKey={({ field }) => field}
      />
    </div>
  );
}

/** Translations of fields that are shown as a status, by entity and field. */
const STATUSES: Readonly<Record<string, TextGroup>> = {
  'driver.status': 'common:status.driver',
  'driver_account.status': 'common:status.driverAccount',
  'import.status': 'common:status.upload',
  'source.isActive': 'common:status.source',
  'user.status': 'common:status.user',
};

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

function isInstant(value: unknown): value is string {
  return typeof value === 'string' && INSTANT.test(value) && !Number.isNaN(Date.parse(value));
}

interface ChangeValueProps {
  value: unknown;
  /** Translations of the value, if it is a status. */
  statuses?: TextGroup | undefined;
}

/** Formats an untrusted value as text. */
function ChangeValue({ value, statuses }: ChangeValueProps) {
  const { t } = useTranslation(['audit', 'common']);
  const nameOf = useNameOf();
  if (value === undefined || value === null || value === '') {
    return <span className="text-muted">{t('none', { ns: 'common' })}</span>;
  }
  if (isInstant(value)) return <DateTime instant={value} />;
  if (typeof value === 'boolean') {
    return statuses ? nameOf(statuses, value ? 'Active' : 'Disabled') : t(value ? 'yes' : 'no');
  }
  if (Array.isArray(value)) {
    if (value.length === 0) return <ChangeValue value={null} />;
    return value.map((entry) => (typeof entry === 'object' ? JSON.stringify(entry) : entry)).join(', ');
  }
  if (typeof value === 'object') return JSON.stringify(value);
  return statuses ? nameOf(statuses, String(value)) : String(value);
}
