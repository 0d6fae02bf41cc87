import { deliveryLookup } from '@/lookups/lookups';
import {
  CHOICE_OPERATORS,
  RANGE_OPERATORS,
  TEXT_OPERATORS,
  type FilterField,
} from '@/list/resource';
import { METHODS } from './methods';

const deliveryDoc: FilterField = {
  key: 'deliveryId',
  labelKey: 'dead-letters:fields.deliveryId',
  kind: 'text',
  operators: TEXT_OPERATORS,
  lookup: deliveryLookup,
};

const method: FilterField = {
  key: 'method',
  labelKey: 'dead-letters:fields.method',
  kind: 'enum',
  operators: CHOICE_OPERATORS,
  options: METHODS.map((value) => ({ value, labelKey: `dead-letters:methods.${value}` })),
};

const failedAt: FilterField = {
  key: 'createdAt',
  labelKey: 'dead-letters:fields.createdAt',
  kind: 'date-range',
  operators: RANGE_OPERATORS,
};

const sentAt: FilterField = {
  key: 'processedAt',
  labelKey: 'dead-letters:fields.processedAt',
  kind: 'date-range',
  operators: RANGE_OPERATORS,
};

export const failedFilters: readonly FilterField[] = [
  failedAt,
  method,
  deliveryDoc,
  {
    key: 'errorFingerprint',
    labelKey: 'dead-letters:fields.error',
    kind: 'text',
    operators: ['equals'],
    linkOnly: true,
  },
];

export const sentFilters: readonly FilterField[] = [failedAt, sentAt, method, deliveryDoc];
