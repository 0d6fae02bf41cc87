import * as v from 'valibot';
import { decodeBase64, encodeBase64 } from '@/lib/base64';

export const FILTER_OPERATORS = [
  'contains',
  '!contains',
  'equals',
  '!equals',
  'startsWith',
  'endsWith',
  'inDateRange',
  'isEmpty',
  '!isEmpty',
] as const;

export type FilterOperator = (typeof FILTER_OPERATORS)[number];

/** Returns true for a condition without values, such as "is empty". */
export function takesNoValues(operator: FilterOperator): boolean {
  return operator === 'isEmpty' || operator === '!isEmpty';
}

export interface FilterValue {
  label: string;
  value: string;
}

export interface Filter {
  key: string;
  operator: FilterOperator;
  values: FilterValue[];
}

export interface DecodedFilters {
  filters: Filter[];
  /** True when part of the text was invalid and left out. */
  malformed: boolean;
}

// URLs are untrusted, and limits make a hostile one harmless. The limits for filters and values are those of the
// server, which refuses larger requests.
const MAX_LENGTH = 16_384;
const MAX_FILTERS = 20;
const MAX_VALUES = 50;

/** Counts characters as the server does. Those beyond the basic plane have two UTF-16 units. */
const atMost = (most: number) => v.check((text: string) => Array.from(text).length <= most);

const filterSchema = v.pipe(
  v.object({
    key: v.pipe(v.string(), v.minLength(1), v.maxLength(64)),
    operator: v.picklist(FILTER_OPERATORS),
    values: v.pipe(
      v.array(
        v.object({
          label: v.pipe(v.string(), atMost(300)),
          value: v.pipe(v.string(), v.minLength(1), atMost(200)),
        }),
      ),
      v.maxLength(MAX_VALUES),
    ),
  }),
  v.check(({ operator, values }) => takesNoValues(operator) === (values.length === 0)),
);

/**
 * Splits the values of a filter into those of several filters with the same key and operator. The server joins these by
 * OR, or by NOT of OR if they are negated, so they match what a single filter would.
 */
export function splitValues<Value>(values: readonly Value[]): Value[][] {
  // A condition without values is one filter as well.
  const count = Math.max(1, Math.ceil(values.length / MAX_VALUES));
  return Array.from({ length: count }, (_, at) => values.slice(at * MAX_VALUES, (at + 1) * MAX_VALUES));
}

/** Converts filters to the JSON that `readFilters` reads. */
export function writeFilters(filters: readonly Filter[]): Filter[] {
  return filters.flatMap(({ key, operator, values }) =>
    splitValues(values).map((some) => ({ key, operator, values: some.map(({ label, value }) => ({ label, value })) })),
  );
}

/** Encodes filters for the URL as base64 of their JSON; an empty string for none. */
export function encodeFilters(filters: readonly Filter[]): string {
  return filters.length > 0 ? encodeBase64(JSON.stringify(writeFilters(filters))) : '';
}

/** Returns whether the URL and the server take all of the filters. */
export function areWithinLimits(filters: readonly Filter[]): boolean {
  return writeFilters(filters).length <= MAX_FILTERS && encodeFilters(filters).length <= MAX_LENGTH;
}

/** Decodes the text of `encodeFilters`. Never throws; leaves out invalid filters and then sets `malformed`. */
export function decodeFilters(text: string | null | undefined): DecodedFilters {
  if (!text) return { filters: [], malformed: false };
  if (text.length > MAX_LENGTH) return { filters: [], malformed: true };
  let list: unknown;
  try {
    list = JSON.parse(decodeBase64(text));
  } catch {
    return { filters: [], malformed: true };
  }
  return readFilters(list);
}

/** Reads filters from parsed JSON. Leaves out invalid ones and then sets `malformed`. */
export function readFilters(list: unknown): DecodedFilters {
  if (!Array.isArray(list)) return { filters: [], malformed: true };
  const filters: Filter[] = [];
  let malformed = list.length > MAX_FILTERS;
  for (const entry of list.slice(0, MAX_FILTERS)) {
    const result = v.safeParse(filterSchema, entry);
    const last = filters.at(-1);
    if (!result.success) malformed = true;
    else if (last && continues(last, result.output)) last.values.push(...result.output.values);
    else filters.push(result.output);
  }
  return { filters, malformed };
}

/** Returns whether `next` holds the values that `splitValues` has split off from `filter`. */
function continues({ key, operator, values }: Filter, next: Filter): boolean {
  const isFull = values.length > 0 && values.length % MAX_VALUES === 0;
  return isFull && key === next.key && operator === next.operator;
}
