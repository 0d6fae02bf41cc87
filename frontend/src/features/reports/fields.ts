// What a report is filtered by: the fields of the list of deliveries that are dimensions as well, under the labels
// they have there, and the dimensions that the list has no field for.
import { memberOfField } from '@/analytics/delivery-filters';
import { filters as listFields } from '@/delivery-list/filters';
import type { Filter } from '@/list/filters-codec';
import { CHOICE_OPERATORS, type FilterField, type Lookup, TEXT_OPERATORS } from '@/list/resource';

const KEYS = [
  'dateRange',
  'id',
  'customername',
  'trucker',
  'deliverystatus',
  'outcomeReason',
  'reason',
  'scanmode',
  'driverId',
  'shipmentnumber',
  'shipmentstatus',
];

const OTHERS = ['Driver.driverName', 'Delivery.source', 'Variance.kind', 'Variance.responsible'];

/** Fields whose values the lists know by other words than the service. */
const OWN_LOOKUP: ReadonlySet<string> = new Set(['outcomeReason']);

export function reportFields(lookupOf: (member: string) => Lookup): FilterField[] {
  const known = KEYS.flatMap((key): FilterField[] => {
    const field = listFields.find((entry) => entry.key === key);
    if (!field) return [];
    const member = memberOfField(key);
    if (!member || OWN_LOOKUP.has(key)) return [{ ...field, ...(key !== 'dateRange' && { operators: CHOICE_OPERATORS }) }];
    if (field.kind !== 'text') return [field];
    return [{ ...field, operators: TEXT_OPERATORS, lookup: lookupOf(member) }];
  });
  const others = OTHERS.map((member): FilterField => ({
    key: member,
    labelKey: `reports:members.${member.replace('.', '_')}`,
    kind: 'text',
    operators: TEXT_OPERATORS,
    lookup: lookupOf(member),
  }));
  return [...known, ...others];
}

export const DEFAULT_FILTERS: readonly Filter[] = [
  { key: 'dateRange', operator: 'inDateRange', values: [{ label: 'last7days', value: 'last7days' }] },
];

/** A report is of some days, always: taking the range away leaves the default one. */
export function withRange(filters: readonly Filter[]): Filter[] {
  return filters.some(({ key }) => key === 'dateRange') ? [...filters] : [...DEFAULT_FILTERS, ...filters];
}
