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

const filterSchema = v.pipe(
  v.object({
    key: v.pipe(v.string(), v.minLength(1), v.maxLength(64)),
    operator: v.picklist(FILTER_OPERATORS),
    values: v.pipe(
      v.array(
        v.object({
          label: v.pipe(v.string(), v.maxLength(300)),
          value: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
        }),
      ),
      v.maxLength(50),
    ),
  }),
  v.check(({ operator, values }) => takesNoValues(operator) === (values.length === 0)),
);

/** Encodes filters for the URL as base64 of their JSON; an empty string for none. */
export function encodeFilters(filters: readonly Filter[]): string {
  if (filters.length === 0) return '';
  const plain = filters.map(({ key, operator, values }) => ({
    key,
    operator,
    values: values.map(({ label, value }) => ({ label, value })),
  }));
  return encodeBase64(JSON.stringify(plain));
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
  for (const entry of list.slice(0, MAX_FILTERS)) {
    const result = v.safeParse(filterSchema, entry);
    if (result.success) filters.push(result.output);
  }
  return { filters, malformed: filters.length !== list.length };
}
