import type { Lookup } from '@/list/resource';
import { readLookup } from '@/lookups/lookups';
import { historyReasonsQuery } from './queries';

const LIMIT = 100;

/** Reasons by their words. They are few, so the browser looks through them itself. */
export const reasonCodeLookup: Lookup = {
  limit: LIMIT,
  async search(client, text, limit) {
    const { reasons } = await readLookup(client, historyReasonsQuery, {});
    // The same code may stand in more than one of the catalogues.
    const labels = new Map(reasons.map(({ code, label }) => [code, label]));
    const needle = text.toLowerCase();
    return [...labels]
      .filter(([, label]) => label.toLowerCase().includes(needle))
      .map(([value, label]) => ({ label, value }))
      .slice(0, limit);
  },
};
