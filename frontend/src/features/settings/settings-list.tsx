import { useTranslation } from 'react-i18next';
import {
  CHOICE_OPERATORS,
  defineResource,
  type FilterField,
  type FindField,
  type ListColumn,
  RANGE_OPERATORS,
  TEXT_OPERATORS,
  type WhereFilter,
} from '@/list/resource';
import { LOGO_SETTING_ID } from '@/domain/logo-value';
import { routes } from '@/routing/routes';
import { Tag } from '@/ui/tag';
import { type SettingRow, type SettingType, systemSettingsQuery } from './queries';
import { usePresentText } from './use-present-text';

const columns: readonly ListColumn<SettingRow>[] = [
  {
    id: 'name',
    labelKey: 'settings:fields.name',
    kind: 'id-link',
    value: ({ name }) => name,
    sortable: true,
    locked: true,
    width: 200,
    grow: 2,
    cardSlot: 'title',
  },
  {
    id: 'group',
    labelKey: 'settings:fields.group',
    kind: 'text',
    value: ({ group }) => group,
    sortable: true,
    width: 136,
    priority: 2,
    cardSlot: 'third',
  },
  {
    id: 'value',
    labelKey: 'settings:fields.value',
    kind: 'text',
    // Return the ID in place of the value, because an empty value would show the list's placeholder instead of the
    // cell's own.
    value: ({ id }) => id,
    render: (setting) => <ValueCell setting={setting} />,
    width: 180,
    grow: 2,
    cardSlot: 'second',
  },
  {
    id: 'type',
    labelKey: 'settings:fields.type',
    kind: 'text',
    value: ({ type }) => type,
    sortable: true,
    width: 112,
    initiallyHidden: true,
  },
  {
    id: 'updatedAt',
    labelKey: 'settings:fields.updatedAt',
    kind: 'datetime',
    value: ({ updatedAt }) => updatedAt,
    emptyKey: 'common:never',
    sortable: true,
    width: 150,
    priority: 1,
    cardSlot: 'third-end',
  },
  {
    id: 'updatedBy',
    labelKey: 'settings:fields.updatedBy',
    kind: 'text',
    value: ({ updatedBy }) => updatedBy,
    sortable: true,
    width: 112,
    priority: 3,
  },
];

const TYPES: readonly SettingType[] = [
  'boolean',
  'date',
  'dateTime',
  'email',
  'number',
  'password',
  'text',
  'time',
  'url',
];

const filters: readonly FilterField[] = [
  { key: 'name', labelKey: 'settings:fields.name', kind: 'text', operators: TEXT_OPERATORS },
  { key: 'group', labelKey: 'settings:fields.group', kind: 'text', operators: TEXT_OPERATORS },
  {
    key: 'type',
    labelKey: 'settings:fields.type',
    kind: 'enum',
    operators: CHOICE_OPERATORS,
    options: TYPES.map((type) => ({ value: type, labelKey: `settings:types.${type}` })),
  },
  {
    key: 'updatedBy',
    labelKey: 'settings:fields.updatedBy',
    kind: 'text',
    operators: TEXT_OPERATORS,
  },
  {
    key: 'updatedAt',
    labelKey: 'settings:fields.updatedAt',
    kind: 'date-range',
    operators: RANGE_OPERATORS,
  },
];

export const FIND: FindField = { key: 'name', labelKey: 'settings:fields.name' };

function settingsResource(
  name: string,
  rowHref: (row: SettingRow) => string,
  where: readonly WhereFilter[] = [],
) {
  return defineResource({
    name,
    where,
    typename: 'SystemSetting',
    document: systemSettingsQuery,
    toList: ({ systemSettings, systemSettingsCount }) => ({
      rows: systemSettings,
      count: systemSettingsCount,
    }),
    rowId: ({ id }) => id,
    rowHref,
    columns,
    filters,
    views: [],
    defaultSort: [
      { key: 'group', direction: 'asc' },
      { key: 'name', direction: 'asc' },
    ],
    texts: {
      count: 'settings:count',
      countOver: 'settings:countOver',
      tableName: 'settings:table',
      emptyTitle: 'settings:empty.title',
      emptyText: 'settings:empty.text',
      noMatchTitle: 'settings:noMatch',
    },
  });
}

/** The planner settings. The server limits planners to these, but not administrators who are also planners. */
export const systemSettingsResource = settingsResource(
  'system-settings',
  ({ id }) => routes.systemSetting({ settingsId: id }),
  [{ key: 'readers', operator: 'equals', values: ['planner'] }],
);

export const adminSystemSettingsResource = settingsResource('admin-system-settings', ({ id }) =>
  id === LOGO_SETTING_ID ? routes.editLogo() : routes.adminSystemSetting({ settingsId: id }),
);

/** The value of a setting, marked if it is the default. */
function ValueCell({ setting }: { setting: SettingRow }) {
  const { t } = useTranslation(['settings', 'common']);
  const text = usePresentText(setting, setting.value);
  return (
    <span className="flex min-w-0 items-center gap-2">
      {text ? (
        <span className="min-w-0 truncate tabular-nums" data-tip-cut>
          {text}
        </span>
      ) : (
        <span className="text-muted">{t('none', { ns: 'common' })}</span>
      )}
      {setting.isDefault && <Tag>{t('default')}</Tag>}
    </span>
  );
}
