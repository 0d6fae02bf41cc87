import type { ListColumn } from '@/list/resource';
import { StatusChip } from '@/ui/status-chip';
import { FormatLabel, KeyLabel, RangeLabel } from './components/labels';
import type { ReportSettingRow } from './queries';

export const columns: readonly ListColumn<ReportSettingRow>[] = [
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
