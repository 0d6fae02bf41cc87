import type { Lookup } from '@/list/resource';
import { loadRows } from './client';
import type { TimeDimension } from './query';

const DROPDOWN_LIMIT = 100;

interface Asked {
  getToken: () => Promise<string | null>;
  /** The period in which the values occur. */
  range?: TimeDimension;
  timezone: string;
}

/** Returns the values of a dimension that start with the typed text. */
export function memberLookup(member: string, { getToken, range, timezone }: Asked): Lookup {
  return {
    limit: DROPDOWN_LIMIT,
    async search(_client, text, limit, signal) {
      const rows = await loadRows(
        {
          dimensions: [member],
          ...(text && { filters: [{ member, operator: 'startsWith', values: [text] }] }),
          ...(range && { timeDimensions: [range] }),
          order: { [member]: 'asc' },
          limit,
          timezone,
        },
        { getToken, ...(signal && { signal }) },
      );
      return rows
        .map((row) => row[member])
        .filter((value) => typeof value === 'string' && value !== '')
        .map((value) => ({ label: String(value), value: String(value) }));
    },
  };
}
