import type { TextOf } from '@/i18n/texts';
import type { Filter } from './filters-codec';
import { formatDateValues, isDatePreset, isRelativeDate, lastDaysOf, type RelativeDate } from './date-values';
import type { FilterField } from './resource';

export interface FilterText {
  label: string;
  operator: string;
  value: string;
  /** Field, condition and values in one line. */
  text: string;
}

/** A label from the URL is untrusted text; use it only when there is no known label. */
function valueLabel(filter: Filter, field: FilterField, index: number, t: TextOf): string {
  const { label, value } = filter.values[index] ?? { label: '', value: '' };
  switch (field.kind) {
    case 'enum':
    case 'yes-no': {
      const option = field.options.find((entry) => entry.value === value);
      return option ? t(option.labelKey) : value;
    }
    case 'lookup':
      // Callers apply `useLabeledFilter` first, so the label is current if the lookup returns the value.
      return label || value;
    case 'text':
      // Values of link-only filters are internal keys; show the label from the URL.
      return (field.linkOnly && label) || value;
    default:
      return value;
  }
}

export function fieldLabel(field: FilterField, t: TextOf): string {
  return field.labelKey ? t(field.labelKey) : field.label;
}

export function relativeDateText(value: RelativeDate, t: TextOf): string {
  return isDatePreset(value) ? t(`list:dates.${value}`) : t('list:dates.lastDays', { count: lastDaysOf(value) });
}

export function filterText(
  filter: Filter,
  field: FilterField,
  timeZone: string,
  t: TextOf,
): FilterText {
  const values = filter.values.map(({ value }) => value);
  const [first = ''] = values;
  const dates = () =>
    isRelativeDate(first) ? relativeDateText(first, t) : formatDateValues(values, timeZone);
  const label = fieldLabel(field, t);
  const operator = t(`list:operators.${filter.operator}`);
  const value =
    field.kind === 'date-range' && values.length > 0
      ? dates()
      : values.map((_, index) => valueLabel(filter, field, index, t)).join(t('list:or'));
  return { label, operator, value, text: [label, operator, value].filter(Boolean).join(' ') };
}

/** Adds a filter, merging its values into a filter of the same field and condition. */
export function addFilter(filters: readonly Filter[], added: Filter): Filter[] {
  const index = filters.findIndex(
    ({ key, operator }) => key === added.key && operator === added.operator,
  );
  const same = filters[index];
  if (!same) return [...filters, added];
  const values =
    added.operator === 'inDateRange'
      ? added.values
      : [
          ...same.values,
          ...added.values.filter(({ value }) => same.values.every((own) => own.value !== value)),
        ];
  return filters.map((filter, at) => (at === index ? { ...same, values } : filter));
}

export function replaceFilter(filters: readonly Filter[], index: number, next: Filter): Filter[] {
  return addFilter(
    filters.filter((_, at) => at !== index),
    next,
  );
}
