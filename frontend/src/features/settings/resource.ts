import { defineResource } from '@/list/resource';
import { LOGO_SETTING_ID } from '@/logo/logo-value';
import { routes } from '@/routing/routes';
import { columns } from './columns';
import { filters } from './filters';
import { ADMIN_SYSTEM_SETTINGS, SYSTEM_SETTINGS } from './names';
import { type SettingRow, systemSettingsQuery } from './queries';

/** One list for two kinds of readers: the server decides which rows they get. */
function settingsResource(name: string, rowHref: (row: SettingRow) => string) {
  return defineResource({
    name,
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

export const systemSettingsResource = settingsResource(SYSTEM_SETTINGS, ({ id }) =>
  routes.systemSetting({ settingsId: id }),
);

export const adminSystemSettingsResource = settingsResource(ADMIN_SYSTEM_SETTINGS, ({ id }) =>
  id === LOGO_SETTING_ID ? routes.editLogo() : routes.adminSystemSetting({ settingsId: id }),
);
