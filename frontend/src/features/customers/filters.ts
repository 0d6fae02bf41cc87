import {
  OPTIONAL_TEXT_OPERATORS,
  TEXT_OPERATORS,
  type FilterField,
} from '@/list/resource';
import { customerLookup } from '@/lookups/lookups';

export const filters: readonly FilterField[] = [
  {
    key: 'customerName',
    labelKey: 'customers:fields.customerName',
    kind: 'text',
    operators: TEXT_OPERATORS,
    lookup: customerLookup,
  },
  {
    key: 'customerEmail',
    labelKey: 'customers:fields.customerEmail',
    kind: 'text',
    operators: OPTIONAL_TEXT_OPERATORS,
  },
  {
    key: 'customerAddress',
    labelKey: 'customers:fields.customerAddress',
    kind: 'text',
    operators: OPTIONAL_TEXT_OPERATORS,
  },
];
