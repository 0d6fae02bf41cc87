import {
  CHOICE_OPERATORS,
  RANGE_OPERATORS,
  TEXT_OPERATORS,
  type FilterField,
} from '@/list/resource';
import { actionKey, AUDIT_ACTIONS, AUDIT_ENTITIES } from './actions';

export const filters: readonly FilterField[] = [
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
    options: AUDIT_ACTIONS.map((action) => ({ value: action, labelKey: actionKey(action) })),
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
