// Lookups for lists and forms. Each returns a limited number of results; callers treat a failure as an empty result.
import type { Client, TypedDocumentNode } from '@urql/core';
import type { FilterValue } from '@/list/filters-codec';
import type { Lookup, WhereFilter } from '@/list/resource';
import {
  customersLookup,
  deadLettersLookup,
  deliveriesLookup,
  driversLookup,
  reasonsLookup,
  sourcesLookup,
  truckersLookup,
  uploadLogsLookup,
  usersLookup,
} from './queries';

const DELIVERIES_LIMIT = 30;
const CUSTOMERS_LIMIT = 10;
const DRIVERS_LIMIT = 30;
const USERS_LIMIT = 30;
const DROPDOWN_LIMIT = 100;

export async function readLookup<Data, Variables extends object>(
  client: Client,
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Promise<Data> {
  const { data, error } = await client
    .query(document, variables, { requestPolicy: 'network-only' })
    .toPromise();
  if (error) throw error;
  if (!data) throw new Error('The lookup answered nothing');
  return data;
}

export function lookupPage(
  key: string,
  operator: string,
  text: string,
  limit: number,
  where: readonly WhereFilter[] = [],
) {
  return {
    where: [...(text ? [{ key, operator, values: [text] }] : []), ...where],
    sort: [{ key, direction: 'asc' as const }],
    limit,
    offset: 0,
  };
}

const plain = (value: string): FilterValue => ({ label: value, value });

export const deliveryLookup: Lookup = {
  limit: DELIVERIES_LIMIT,
  async search(client, text, limit) {
    const { deliveries } = await readLookup(client, deliveriesLookup, {
      page: lookupPage('id', 'startsWith', text, limit),
    });
    return deliveries.map(({ id }) => plain(id));
  },
};

/** Finds the deliveries of dead letters, each once. */
function deadLettersOf(mode: 'failed' | 'success'): Lookup {
  return {
    limit: DROPDOWN_LIMIT,
    async search(client, text, limit) {
      const page = lookupPage('deliveryId', 'startsWith', text, limit);
      // Events that a consumer gave up, for example, have no delivery and would come first.
      const where = text ? page.where : [{ key: 'deliveryId', operator: '!isEmpty', values: [] }];
      const { deliveryDeadLetters } = await readLookup(client, deadLettersLookup, { mode, page: { ...page, where } });
      return [...new Set(deliveryDeadLetters.map(({ deliveryId }) => deliveryId))].map(plain);
    },
  };
}

export const failedLetterLookup = deadLettersOf('failed');
export const sentLetterLookup = deadLettersOf('success');

export const customerLookup: Lookup = {
  limit: CUSTOMERS_LIMIT,
  async search(client, text, limit) {
    const { customers } = await readLookup(client, customersLookup, {
      page: lookupPage('customerName', 'contains', text, limit),
    });
    return customers.map(({ customerName }) => plain(customerName));
  },
};

function driversWhere(where: readonly WhereFilter[]): Lookup {
  return {
    limit: DRIVERS_LIMIT,
    async search(client, text, limit) {
      const pageBy = (key: string, operator: string) => lookupPage(key, operator, text, limit, where);
      const { byId, byName } = await readLookup(client, driversLookup, {
        byId: pageBy('driverId', 'startsWith'),
        byName: pageBy('name', 'contains'),
      });
      // A driver found by both ID and name is listed once.
      const found = new Map([...byName, ...byId].map(({ driverId, name }) => [driverId, name]));
      return [...found]
        .map(([driverId, name]) => ({ label: `${name} (${driverId})`, value: driverId }))
        .slice(0, limit);
    },
  };
}

export const driverLookup = driversWhere([]);

/** Finds active drivers, because deliveries can be assigned to no others. */
export const permittedDriverLookup = driversWhere([
  { key: 'status', operator: 'equals', values: ['active'] },
]);

export const truckerLookup: Lookup = {
  limit: DROPDOWN_LIMIT,
  async search(client, text, limit) {
    const { getTruckerDrilldown } = await readLookup(client, truckersLookup, {
      startsWith: text,
      page: { limit, offset: 0 },
    });
    return getTruckerDrilldown.map(plain);
  },
};

/** Finds office users by username. */
function usersWhere(where: readonly WhereFilter[]): Lookup {
  return {
    limit: USERS_LIMIT,
    async search(client, text, limit) {
      const { users } = await readLookup(client, usersLookup, {
        page: lookupPage('username', 'contains', text, limit, where),
      });
      return users.map(({ username, displayName }) => ({
        label: displayName ? `${username} (${displayName})` : username,
        value: username,
      }));
    },
  };
}

/** Finds active users, because reports are mailed to no others. */
export const activeUserLookup = usersWhere([{ key: 'status', operator: 'equals', values: ['active'] }]);

/** Finds users who can sign in, now or once they have accepted their invitation. */
export const enabledUserLookup = usersWhere([{ key: 'status', operator: '!equals', values: ['disabled'] }]);

function sourcesWhere(where: readonly WhereFilter[]): Lookup {
  return {
    limit: DROPDOWN_LIMIT,
    async search(client, text, limit) {
      const { sources } = await readLookup(client, sourcesLookup, {
        page: lookupPage('name', 'contains', text, limit, where),
      });
      return sources.map(({ id, name }) => ({ label: name, value: id }));
    },
  };
}

export const sourceLookup = sourcesWhere([]);

/** Finds active sources, because new deliveries can have no others. */
export const activeSourceLookup = sourcesWhere([{ key: 'isActive', operator: 'equals', values: ['true'] }]);

export const uploadLogLookup: Lookup = {
  limit: DROPDOWN_LIMIT,
  async search(client, text, limit) {
    const { uploadLogs } = await readLookup(client, uploadLogsLookup, {
      page: {
        ...lookupPage('filename', 'contains', text, limit),
        sort: [{ key: 'createdAt', direction: 'desc' as const }],
      },
    });
    return uploadLogs.map(({ id, filename }) => ({ label: filename, value: id }));
  },
};

/** Searches reasons in the browser, since there are only a few. */
export const reasonLookup: Lookup = {
  limit: DROPDOWN_LIMIT,
  async search(client, text, limit) {
    const { reasons } = await readLookup(client, reasonsLookup, {});
    // Several catalogs may contain the same label.
    const labels = new Set(reasons.map(({ label }) => label));
    const needle = text.toLowerCase();
    return [...labels]
      .filter((label) => label.toLowerCase().includes(needle))
      .slice(0, limit)
      .map(plain);
  },
};

/** Reasons for deliveries that were not handed over, by code. A code that several statuses share has all their labels. */
export const outcomeReasonLookup: Lookup = {
  limit: DROPDOWN_LIMIT,
  async search(client, text, limit) {
    const { reasons } = await readLookup(client, reasonsLookup, {});
    const labels = new Map<string, Set<string>>();
    for (const { code, label, appliesTo } of reasons) {
      if (appliesTo !== 'variance') labels.set(code, (labels.get(code) ?? new Set()).add(label));
    }
    const needle = text.toLowerCase();
    return [...labels]
      .map(([value, own]) => ({ label: [...own].join(' / '), value }))
      .filter(({ label }) => label.toLowerCase().includes(needle))
      .slice(0, limit);
  },
};
