import {
  defineResource,
  type FilterField,
  type ListColumn,
  OPTIONAL_TEXT_OPERATORS,
  TEXT_OPERATORS,
} from '@/list/resource';
import { ResourceList } from '@/list/resource-list';
import { customerLookup } from '@/domain/lookups/lookups';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { type CustomerRow, customersQuery } from './queries';

const columns: readonly ListColumn<CustomerRow>[] = [
  {
    id: 'customerName',
    labelKey: 'customers:fields.customerName',
    kind: 'id-link',
    value: ({ customerName }) => customerName,
    sortable: true,
    locked: true,
    width: 180,
    grow: 2,
    cardSlot: 'title',
  },
  {
    id: 'customerEmail',
    labelKey: 'customers:fields.customerEmail',
    kind: 'text',
    value: ({ customerEmail }) => customerEmail,
    sortable: true,
    width: 160,
    grow: 1,
    priority: 2,
    cardSlot: 'second',
  },
  {
    id: 'customerAddress',
    labelKey: 'customers:fields.customerAddress',
    kind: 'text',
    value: ({ customerAddress }) => customerAddress,
    sortable: true,
    width: 200,
    grow: 3,
    priority: 1,
    muted: true,
    cardSlot: 'third',
  },
  {
    id: 'code',
    labelKey: 'customers:fields.code',
    kind: 'text',
    value: ({ code }) => code,
    width: 90,
    priority: 3,
    cardSlot: 'badge',
  },
  {
    id: 'phone',
    labelKey: 'customers:fields.phone',
    kind: 'text',
    value: ({ phone }) => phone,
    width: 148,
    initiallyHidden: true,
  },
  {
    id: 'createdAt',
    labelKey: 'customers:fields.createdAt',
    kind: 'datetime',
    value: ({ createdAt }) => createdAt,
    sortable: true,
    width: 182,
    initiallyHidden: true,
  },
  {
    id: 'updatedAt',
    labelKey: 'customers:fields.updatedAt',
    kind: 'datetime',
    value: ({ updatedAt }) => updatedAt,
    width: 182,
    initiallyHidden: true,
  },
];

const filters: readonly FilterField[] = [
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

/** Key of the list in storage and in history entries. */
const CUSTOMERS = 'customers';

const customersResource = defineResource({
  name: CUSTOMERS,
  typename: 'Customer',
  document: customersQuery,
  toList: ({ customers, customersCount }) => ({ rows: customers, count: customersCount }),
  rowId: ({ customerName }) => customerName,
  rowHref: ({ customerName }) => routes.viewCustomer({ customerName }),
  columns,
  filters,
  views: [],
  defaultSort: [{ key: 'customerName', direction: 'asc' }],
  texts: {
    count: 'customers:count',
    countOver: 'customers:countOver',
    tableName: 'customers:table',
    emptyTitle: 'customers:empty.title',
    emptyText: 'customers:empty.text',
    noMatchTitle: 'customers:noMatch',
  },
});

export default function CustomersPage() {
  return (
    <PageFrame fill>
      <ResourceList resource={customersResource} />
    </PageFrame>
  );
}
