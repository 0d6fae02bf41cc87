import { Ellipsis, Pencil, Plus, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useRecordNavigate } from '@/list/record-link';
import {
  CHOICE_OPERATORS,
  defineResource,
  type FilterField,
  type ListColumn,
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
  DropdownMenuTrigger,
} from '@/ui/dropdown-menu';
import { StatusChip } from '@/ui/status-chip';
import { type ReportSetting, type ReportSettingRow, reportSettingsQuery } from './queries';
import { DeleteReportSettingDialog } from './report-setting';
import { FORMATS, NEW_ID, REPORT_KEYS } from './report-setting-values';

const columns: readonly ListColumn<ReportSettingRow>[] = [
  {
    id: 'name',
    labelKey: 'report-settings:fields.name',
    kind: 'id-link',
    value: ({ name }) => name,
    sortable: true,
    locked: true,
    width: 200,
    grow: 1,
    cardSlot: 'title',
  },
  {
    id: 'reportKey',
    labelKey: 'report-settings:fields.reportKey',
    kind: 'status',
    value: ({ reportKey }) => reportKey,
    render: ({ reportKey }) => <KeyLabel reportKey={reportKey} />,
    sortable: true,
    width: 120,
    cardSlot: 'second',
  },
  {
    id: 'columns',
    labelKey: 'report-settings:fields.columns',
    kind: 'number',
    value: ({ columns: chosen }) => chosen.length,
    cardTextKey: 'report-settings:columnsCount',
    width: 92,
    priority: 3,
    cardSlot: 'second-end',
  },
  {
    id: 'rangeDays',
    labelKey: 'report-settings:fields.range',
    kind: 'status',
    value: ({ rangeDays }) => rangeDays,
    render: ({ rangeDays }) => <RangeLabel days={rangeDays} />,
    width: 120,
    priority: 2,
    cardSlot: 'third',
  },
  {
    id: 'format',
    labelKey: 'report-settings:fields.format',
    kind: 'status',
    value: ({ format }) => format,
    render: ({ format }) => <FormatLabel format={format} />,
    width: 84,
    priority: 4,
  },
  {
    id: 'isActive',
    labelKey: 'report-settings:fields.state',
    kind: 'status',
    value: ({ isActive }) => String(isActive),
    render: ({ isActive }) => (
      <StatusChip kind="reportSetting" status={isActive ? 'active' : 'off'} />
    ),
    width: 100,
    cardSlot: 'badge',
  },
  {
    id: 'updatedAt',
    labelKey: 'report-settings:fields.updatedAt',
    kind: 'datetime',
    value: ({ updatedAt }) => updatedAt,
    sortable: true,
    width: 182,
    priority: 1,
    cardSlot: 'third-end',
  },
  {
    id: 'updatedBy',
    labelKey: 'report-settings:fields.updatedBy',
    kind: 'text',
    value: ({ updatedBy }) => updatedBy,
    width: 140,
    initiallyHidden: true,
  },
];

const filters: readonly FilterField[] = [
  {
    key: 'name',
    labelKey: 'report-settings:fields.name',
    kind: 'text',
    operators: TEXT_OPERATORS,
  },
  {
    key: 'reportKey',
    labelKey: 'report-settings:fields.reportKey',
    kind: 'enum',
    operators: CHOICE_OPERATORS,
    options: REPORT_KEYS.map((key) => ({ value: key, labelKey: `report-settings:keys.${key}` })),
  },
  {
    key: 'format',
    labelKey: 'report-settings:fields.format',
    kind: 'enum',
    operators: CHOICE_OPERATORS,
    options: FORMATS.map((format) => ({
      value: format,
      labelKey: `report-settings:formats.${format}`,
    })),
  },
  {
    key: 'isActive',
    labelKey: 'report-settings:fields.state',
    kind: 'yes-no',
    operators: CHOICE_OPERATORS,
    options: [
      { value: 'true', labelKey: 'common:status.reportSetting.active' },
      { value: 'false', labelKey: 'common:status.reportSetting.off' },
    ],
  },
];

const reportSettingsResource = defineResource({
  name: 'report-settings',
  typename: 'ReportSetting',
  document: reportSettingsQuery,
  toList: ({ reportSettings, reportSettingsCount }) => ({
    rows: reportSettings,
    count: reportSettingsCount,
  }),
  rowId: ({ id }) => id,
  rowHref: ({ id }) => routes.reportSetting({ id }),
  columns,
  filters,
  views: [],
  defaultSort: [{ key: 'name', direction: 'asc' }],
  texts: {
    count: 'report-settings:count',
    countOver: 'report-settings:countOver',
    tableName: 'report-settings:table',
    emptyTitle: 'report-settings:empty.title',
    emptyText: 'report-settings:empty.text',
    noMatchTitle: 'report-settings:noMatch',
  },
});

export default function ReportSettingsPage() {
  const { t } = useTranslation('report-settings');
  const narrow = useNarrowScreen();
  const [deleting, setDeleting] = useState<ReportSettingRow>();
  const rowActions = useMemo(
    (): RowActions<ReportSettingRow> => ({
      width: 44,
      onCard: 'beside',
      render: (row) => <ReportSettingMenu setting={row} onDelete={setDeleting} />,
    }),
    [],
  );
  const create = (
    <Button asChild variant="primary" icon={Plus}>
      <Link to={routes.reportSetting({ id: NEW_ID })}>{t(narrow ? 'createShort' : 'create')}</Link>
    </Button>
  );
  return (
    <PageFrame fill>
      <ResourceList
        resource={reportSettingsResource}
        rowActions={rowActions}
        action={create}
        emptyAction={create}
      />
      {deleting && (
        <DeleteReportSettingDialog setting={deleting} onClose={() => setDeleting(undefined)} />
      )}
    </PageFrame>
  );
}

interface ReportSettingMenuProps {
  setting: ReportSettingRow;
  onDelete: (setting: ReportSettingRow) => void;
}

/** Actions for a report setting in the list. */
function ReportSettingMenu({ setting, onDelete }: ReportSettingMenuProps) {
  const { t } = useTranslation('report-settings');
  const navigate = useRecordNavigate();
  const { id, name } = setting;
  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild>
        <IconButton icon={Ellipsis} size={28} label={t('menu.open', { name })} />
      </DropdownMenuTrigger>
      <DropdownMenuContent>
        <DropdownMenuItem
          icon={Pencil}
          onSelect={() => void navigate(routes.reportSetting({ id }))}
        >
          {t('menu.edit')}
        </DropdownMenuItem>
        <DropdownMenuItem danger icon={Trash2} onSelect={() => onDelete(setting)}>
          {t('delete.verb')}
        </DropdownMenuItem>
      </DropdownMenuContent>
    </DropdownMenu>
  );
}

function KeyLabel({ reportKey }: Pick<ReportSetting, 'reportKey'>) {
  const { t } = useTranslation('report-settings');
  return t(`keys.${reportKey}`);
}

function FormatLabel({ format }: Pick<ReportSetting, 'format'>) {
  const { t } = useTranslation('report-settings');
  return t(`formats.${format}`);
}

function RangeLabel({ days }: { days: number }) {
  const { t } = useTranslation('report-settings');
  return t('lastDays', { count: days });
}
