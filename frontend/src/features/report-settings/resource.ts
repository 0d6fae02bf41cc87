import { defineResource } from '@/list/resource';
import { routes } from '@/routing/routes';
import { columns } from './columns';
import { filters } from './filters';
import { reportSettingsQuery } from './queries';

export const reportSettingsResource = defineResource({
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
