import type { ListColumn } from '@/list/resource';
import { ValueCell } from './components/value-cell';
import type { SettingRow } from './queries';

export const columns: readonly ListColumn<SettingRow>[] = [
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
    width: 110,
    priority: 2,
    cardSlot: 'third',
  },
  {
    id: 'value',
    labelKey: 'settings:fields.value',
    kind: 'text',
    // One that nobody set may well be empty, and says so itself.
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
