import { CHOICE_OPERATORS, TEXT_OPERATORS, type FilterField } from '@/list/resource';
import { FORMATS, REPORT_KEYS } from './kinds';

export const filters: readonly FilterField[] = [
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
