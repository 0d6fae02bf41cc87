import { Client, fetchExchange } from '@urql/core';
import { expect, it } from 'vitest';
import type { Lookup } from '@/list/resource';
import * as lookups from './lookups';
import {
  customerLookup,
  deliveryLookup,
  failedLetterLookup,
  sentLetterLookup,
  sourceLookup,
  truckerLookup,
} from './lookups';

interface Sent {
  query: string;
  variables: { page?: { where?: unknown; limit?: number }; startsWith?: string; mode?: string };
}

const letters = ['DR-1', 'DR-1', 'DR-2'].map((deliveryId) => ({ deliveryId, method: 'status' }));

async function search(lookup: Lookup, text: string) {
  let sent: Sent | undefined;
  const client = new Client({
    url: 'http://localhost/graphql',
    preferGetMethod: false,
    exchanges: [fetchExchange],
    fetch: (_, init) => {
      sent = JSON.parse(String(init?.body)) as Sent;
      const data = {
        deliveries: [],
        deliveryDeadLetters: letters,
        customers: [],
        sources: [],
        getTruckerDrilldown: [],
      };
      return Promise.resolve(Response.json({ data }));
    },
  });
  const options = await lookup.search(client, text, lookup.limit);
  if (!sent) throw new Error('nothing was asked');
  return { ...sent, options };
}

const askedBy = (lookup: Lookup) => search(lookup, 'ba');
const sentBy = async (lookup: Lookup) => (await askedBy(lookup)).variables;

it('asks for 30 deliveries whose number starts with the text', async () => {
  expect((await sentBy(deliveryLookup)).page).toMatchObject({
    where: [{ key: 'id', operator: 'startsWith', values: ['ba'] }],
    limit: 30,
  });
});

it.each([
  ['deliveries', deliveryLookup, 'id'],
  ['deliveryDeadLetters', sentLetterLookup, 'deliveryId method'],
  ['customers', customerLookup, 'customerName customerEmail'],
  ['sources', sourceLookup, 'id name'],
] as const)('reads of %s what the specification names', async (list, lookup, fields) => {
  const { query } = await askedBy(lookup);
  expect(query.replaceAll(/\s+/g, ' ').replaceAll(' __typename', '')).toMatch(
    new RegExp(`${list}\\([^)]*page: \\$page\\) { ${fields} }`),
  );
});

it.each([
  ['failed', failedLetterLookup],
  ['success', sentLetterLookup],
] as const)('finds each delivery of dead letters once, with mode %s', async (mode, lookup) => {
  const { variables, options } = await search(lookup, 'DR');
  expect(variables).toMatchObject({
    mode,
    page: { where: [{ key: 'deliveryId', operator: 'startsWith', values: ['DR'] }], limit: 100 },
  });
  expect(options.map(({ value }) => value)).toEqual(['DR-1', 'DR-2']);
  // Without a text, letters of no delivery would come first.
  expect((await search(lookup, '')).variables.page?.where).toEqual([
    { key: 'deliveryId', operator: '!isEmpty', values: [] },
  ]);
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
