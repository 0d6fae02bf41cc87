import { Client, fetchExchange } from '@urql/core';
import { expect, it } from 'vitest';
import type { Lookup } from '@/list/resource';
import * as lookups from './lookups';
import { customerLookup, deliveryLookup, sourceLookup, truckerLookup } from './lookups';

interface Sent {
  query: string;
  variables: { page?: { where?: unknown; limit?: number }; startsWith?: string };
}

async function askedBy(lookup: Lookup): Promise<Sent> {
  let sent: Sent | undefined;
  const client = new Client({
    url: 'http://localhost/graphql',
    preferGetMethod: false,
    exchanges: [fetchExchange],
    fetch: (_, init) => {
      sent = JSON.parse(String(init?.body)) as Sent;
      const data = { deliveries: [], customers: [], sources: [], getTruckerDrilldown: [] };
      return Promise.resolve(Response.json({ data }));
    },
  });
  await lookup.search(client, 'ba', lookup.limit);
  if (!sent) throw new Error('nothing was asked');
  return sent;
}

const sentBy = async (lookup: Lookup) => (await askedBy(lookup)).variables;

it('asks for 30 deliveries whose number starts with the text', async () => {
  expect((await sentBy(deliveryLookup)).page).toMatchObject({
    where: [{ key: 'id', operator: 'startsWith', values: ['ba'] }],
    limit: 30,
  });
});

it.each([
  ['deliveries', deliveryLookup, 'id'],
  ['customers', customerLookup, 'customerName customerEmail'],
  ['sources', sourceLookup, 'id name'],
] as const)('reads of %s what the specification names', async (list, lookup, fields) => {
  const { query } = await askedBy(lookup);
  expect(query.replaceAll(/\s+/g, ' ').replaceAll(' __typename', '')).toContain(`${list}(page: $page) { ${fields} }`);
});

it('asks for 10 customers', async () => {
  expect((await sentBy(customerLookup)).page?.limit).toBe(10);
});

it('asks for 100 of what a dropdown offers', async () => {
  expect(await sentBy(truckerLookup)).toMatchObject({ startsWith: 'ba', page: { limit: 100 } });
});

it('has a limit of 10, 30 or 100 for every lookup', () => {
  const limits = Object.values(lookups).flatMap((it) => (typeof it === 'object' ? [it.limit] : []));
  expect(new Set(limits)).toEqual(new Set([10, 30, 100]));
});
