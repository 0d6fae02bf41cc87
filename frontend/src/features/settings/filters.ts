import {
  CHOICE_OPERATORS,
  RANGE_OPERATORS,
  TEXT_OPERATORS,
  type FilterField,
} from '@/list/resource';
import type { SettingType } from './queries';

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

export const filters: readonly FilterField[] = [
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
