import { CHOICE_OPERATORS, TEXT_OPERATORS, type FilterField, type ListView } from '@/list/resource';

const STATUSES = [
  { id: 'active', value: 'true', labelKey: 'common:status.source.Active' },
  { id: 'disabled', value: 'false', labelKey: 'common:status.source.Disabled' },
] as const;

export const filters: readonly FilterField[] = [
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

/** Their ids name the counts of `sourcesByStatusQuery`. */
export const views: readonly ListView[] = [
  { id: 'all', labelKey: 'sources:views.all', filters: [] },
  ...STATUSES.map(({ id, value, labelKey }): ListView => ({
    id,
    labelKey,
    filters: [{ key: 'isActive', operator: 'equals', values: [{ label: value, value }] }],
  })),
];
