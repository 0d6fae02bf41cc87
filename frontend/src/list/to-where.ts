import { type Filter, splitValues } from './filters-codec';
import { dateValuesToInstants } from './date-values';
import type { FilterField, Resource, WhereFilter } from './resource';

type Range = [from: string, to: string];

/**
 * Converts filters to the server's input: drops labels, splits filters with more values than the server takes, and turns
 * days into instants in the organization's time zone.
 * The server joins filters on the same field by OR. That is right for filters with the same key, but two keys may be one
 * field of the server, so their ranges are intersected here.
 */
export function toWhere(
  filters: readonly Filter[],
  timeZone: string,
  fields: readonly FilterField[] = [],
  now: Date = new Date(),
): WhereFilter[] {
  const ranges = new Map<string, Map<string, Range[]>>();
  const pathOf = (key: string) => fields.find((field) => field.key === key)?.path ?? key;
  for (const { key, operator, values } of filters) {
    if (operator !== 'inDateRange') continue;
    const byKey = ranges.get(pathOf(key)) ?? new Map<string, Range[]>();
    const range = dateValuesToInstants(values.map(({ value }) => value), timeZone, now);
    ranges.set(pathOf(key), byKey.set(key, [...(byKey.get(key) ?? []), range]));
  }
  return filters.flatMap(({ key, operator, values }): WhereFilter[] => {
    const path = pathOf(key);
    if (operator !== 'inDateRange') {
      return splitValues(values.map(({ value }) => value)).map((some) => ({ key: path, operator, values: some }));
    }
    // All ranges of the field take the place of the first.
    const all = [...(ranges.get(path)?.values() ?? [])];
    ranges.delete(path);
    return inAll(all).map((range) => ({ key: path, operator, values: range }));
  });
}

/** Converts filters of a list, and adds the conditions that the list always has. */
export function listWhere(
  resource: Pick<Resource<unknown>, 'filters' | 'where'>,
  filters: readonly Filter[],
  timeZone: string,
  now?: Date,
): WhereFilter[] {
  return [...(resource.where ?? []), ...toWhere(filters, timeZone, resource.filters, now)];
}

/** Returns the ranges that are in one range of each list. */
function inAll([first = [], ...others]: readonly Range[][]): readonly Range[] {
  if (others.length === 0) return first;
  const common = others.reduce(
    (all, own) => all.flatMap((one) => own.map((other) => inCommon(one, other))),
    first,
  );
  const some = united(common.filter(([from, to]) => Date.parse(from) < Date.parse(to)));
  // No ranges would match everything, an empty range matches nothing.
  return some.length > 0 ? some : common.slice(0, 1);
}

const later = (a: string, b: string) => (Date.parse(a) >= Date.parse(b) ? a : b);
const earlier = (a: string, b: string) => (Date.parse(a) <= Date.parse(b) ? a : b);

/** Returns an empty range if the ranges do not overlap. */
function inCommon([from, to]: Range, [start, end]: Range): Range {
  const first = later(from, start);
  return [first, later(first, earlier(to, end))];
}

/** Joins overlapping ranges, so that there are never more than the server takes. */
function united(ranges: readonly Range[]): Range[] {
  const parts: Range[] = [];
  for (const [from, to] of ranges.toSorted(([a], [b]) => Date.parse(a) - Date.parse(b))) {
    const last = parts.at(-1);
    if (last && Date.parse(from) <= Date.parse(last[1])) last[1] = later(last[1], to);
    else parts.push([from, to]);
  }
  return parts;
}
