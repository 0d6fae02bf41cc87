import { Client } from '@urql/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LIMIT_MS } from '@/data/timed-fetch';
import { hangingFetch } from '@/test/hanging-fetch';
import { AnalyticsError, loadAnalytics, loadRows, loadSql, POLL_MS } from './client';
import { memberLookup } from './lookups';

const result = { query: {}, data: [], annotation: { measures: {}, dimensions: {}, timeDimensions: {} } };
const results = { results: [result] };
const getToken = () => Promise.resolve('abc');
let answers: Response[];
let sent: { url: string; init: RequestInit }[];

const json = (body: unknown, status = 200, statusText = '') => new Response(JSON.stringify(body), { status, statusText });

beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    sent.push({ url, init });
    return Promise.resolve(answers.shift() ?? json(results));
  });
  answers = [];
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

it('asks with the token and the cookies, by GET while the address is short and by POST beyond', async () => {
  await loadAnalytics({ measures: ['Delivery.count'] }, { getToken });
  expect(sent[0]?.url).toContain('/cubejs-api/v1/load?query=%7B%22measures%22');
  expect(sent[0]?.url).toContain('queryType=multi');
  expect(sent[0]?.init).toMatchObject({ credentials: 'include', headers: { authorization: 'Bearer abc' } });
  const values = Array.from({ length: 200 }, (_, index) => `trucker ${index}`);
  const filters = [{ member: 'Delivery.trucker', operator: 'equals', values }];
  await loadAnalytics({ measures: ['Delivery.count'], filters }, { getToken });
  expect(sent[1]).toMatchObject({ url: '/cubejs-api/v1/load', init: { method: 'POST' } });
  expect(JSON.parse(String(sent[1]?.init.body))).toEqual({
    query: { measures: ['Delivery.count'], filters },
    queryType: 'multi',
  });
});

it('asks for the values of a dropdown by a plain POST of the query', async () => {
  answers = [json({ data: [{ 'Delivery.trucker': 'Habagat' }] })];
  expect(await loadRows({ dimensions: ['Delivery.trucker'] }, { getToken })).toEqual([{ 'Delivery.trucker': 'Habagat' }]);
  expect(sent[0]).toMatchObject({ url: '/load', init: { method: 'POST' } });
  expect(JSON.parse(String(sent[0]?.init.body))).toEqual({ query: { dimensions: ['Delivery.trucker'] } });
});

it('gives up an answer that never begins, but once it begins it may take any time', async () => {
  await loadAnalytics({}, { getToken });
  await vi.advanceTimersByTimeAsync(10 * LIMIT_MS);
  expect(sent[0]?.init.signal?.aborted).toBe(false);
  hangingFetch();
  const figures = loadAnalytics({}, { getToken }).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(LIMIT_MS);
  expect(await figures).toBeInstanceOf(AnalyticsError);
});

describe('the address', () => {
  it('is configured for the build, and may be given with the request', async () => {
    vi.stubEnv('VITE_ANALYTICS_URL', 'https://figures.example/api');
    answers = [json(results), json({ data: [] }), json(results)];
    await loadAnalytics({}, { getToken });
    await loadRows({}, { getToken });
    await loadAnalytics({}, { getToken, apiUrl: '/own' });
    expect(sent.map(({ url }) => url.split('?')[0])).toEqual([
      'https://figures.example/api/load',
      'https://figures.example/api/load',
      '/own/load',
    ]);
    expect(sent[0]?.init).toMatchObject({ credentials: 'include', headers: { authorization: 'Bearer abc' } });
  });

  it('is required', async () => {
    const message = 'The `apiUrl` option is required';
    await expect(loadAnalytics({}, { getToken, apiUrl: '' })).rejects.toThrow(message);
    vi.stubEnv('VITE_ANALYTICS_URL', '');
    await expect(loadAnalytics({}, { getToken })).rejects.toThrow(message);
    await expect(loadRows({}, { getToken })).rejects.toThrow(message);
    expect(sent).toEqual([]);
  });
});

describe('an answer that is not OK', () => {
  it('is said in the words of the specification, with what the service says of the query', async () => {
    answers = [json({ error: "'nope' not found for path 'Delivery.nope'" }, 400, 'Bad Request')];
    const error = await loadAnalytics({}, { getToken }).catch((failed: unknown) => failed);
    expect(error).toBeInstanceOf(AnalyticsError);
    expect(error).toMatchObject({
      message: 'Error fetching Cube.js data: Bad Request',
      detail: "'nope' not found for path 'Delivery.nope'",
      status: 400,
    });
  });

  it('has its number where it has no words, and may be no JSON at all', async () => {
    answers = [new Response('<h1>Oops</h1>', { status: 503 })];
    await expect(loadAnalytics({}, { getToken })).rejects.toThrow('Error fetching Cube.js data: 503');
  });

  it.each([
    ['text', 'upstream connect error', 'upstream connect error'],
    ['a page', '<html><body><h1>Too\n many</h1></body></html>', 'Too many'],
    ['other JSON', '{"message":"Too many"}', '{"message":"Too many"}'],
    ['a long text', 'x'.repeat(301), `${'x'.repeat(300)}…`],
    ['nothing', '', undefined],
  ])('comes with its body where that is %s', async (_, body, detail) => {
    answers = [new Response(body, { status: 429, statusText: 'Too Many Requests' })];
    const error = await loadAnalytics({}, { getToken }).catch((failed: unknown) => failed);
    expect(error).toMatchObject({ message: 'Error fetching Cube.js data: Too Many Requests', detail, status: 429 });
  });

  it('is not asked for when no token can be fetched', async () => {
    const failing = () => Promise.reject(new TypeError('failed'));
    await expect(loadAnalytics({}, { getToken: failing })).rejects.toThrow(AnalyticsError);
    expect(sent).toEqual([]);
  });

  it('is one that cannot be read as well', async () => {
    answers = [json({ rows: [] })];
    await expect(loadAnalytics({}, { getToken })).rejects.toThrow('Error fetching Cube.js data: the answer could not be read');
  });
});

it('asks again while the service works on it, and after a 502 when the poll interval is over', async () => {
  answers = [json({ error: 'Continue wait', stage: 'running' }), new Response('', { status: 502 }), json(results)];
  const answer = loadAnalytics({}, { getToken });
  await vi.advanceTimersByTimeAsync(1000);
  expect(sent).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(POLL_MS - 1000);
  expect(sent).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(1000);
  expect(await answer).toEqual([result]);
});

it('says that a query comes from the query lab, and that asking again for its result is no other run', async () => {
  answers = [new Response('', { status: 502 }), json({ error: 'Continue wait' }), json(results)];
  const answer = loadAnalytics({}, { getToken, inLab: true });
  await vi.advanceTimersByTimeAsync(POLL_MS + 1000);
  await answer;
  await loadAnalytics({}, { getToken });
  const labHeaders = sent.map(({ init }) => new Headers(init.headers).get('x-query-lab'));
  // No run has begun before the 502.
  expect(labHeaders).toEqual(['1', '1', 'again', null]);
});

it('does not repeat what a dropdown asks for after a 502', async () => {
  answers = [new Response('', { status: 502, statusText: 'Bad Gateway' })];
  await expect(loadRows({}, { getToken })).rejects.toThrow('Error fetching Cube.js data: Bad Gateway');
  expect(sent).toHaveLength(1);
});

it('stops waiting when nobody wants the answer any more', async () => {
  answers = [new Response('', { status: 502 })];
  const controller = new AbortController();
  const answer = loadAnalytics({}, { getToken, signal: controller.signal });
  const ended = answer.catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(100);
  controller.abort();
  expect(await ended).toMatchObject({ name: 'AbortError' });
  expect(sent).toHaveLength(1);
});

it('stops the search of a dropdown with its signal', async () => {
  const controller = new AbortController();
  const lookup = memberLookup('Delivery.trucker', { getToken, timezone: 'UTC' });
  answers = [json({ data: [] })];
  const client = new Client({ url: 'http://localhost/graphql', preferGetMethod: false, exchanges: [] });
  await lookup.search(client, 'ha', lookup.limit, controller.signal);
  controller.abort();
  expect(sent[0]?.init.signal?.aborted).toBe(true);
});

it('reads the statement with its values apart, of one query and of several', async () => {
  const one = { sql: { sql: ['SELECT $1', [7]] } };
  answers = [json(one), json([one, one])];
  expect(await loadSql({}, { getToken })).toEqual([{ text: 'SELECT $1', parameters: ['7'], source: undefined }]);
  expect(await loadSql([{}, {}], { getToken })).toHaveLength(2);
});
