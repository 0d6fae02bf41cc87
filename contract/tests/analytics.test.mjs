// The published Cube clients with the product: what they request, in which format, and what they make of the
// responses.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Browser } from '../support/browser.mjs';
import { React, admin, ensureAdmin, graphql, invited, open, renderer, signedIn, url } from '../support/clients.mjs';

// The charts of the client use the time zone of the browser.
process.env.TZ = 'UTC';

const require = createRequire(import.meta.url);
const cubejs = require('@cubejs-client/core').default;
const { CubeProvider, QueryBuilder, useCubeQuery } = require('@cubejs-client/react');
const Socket = require('@cubejs-client/ws-transport');

const apiUrl = `${url}/cubejs-api/v1`;
const COUNT = 'Delivery.count';
const CUSTOMER = 'CustomerReport.customername';
const TIME = 'Delivery.scheduledatetime';
const DAYS = ['2031-03-01', '2031-03-10'];
// No other test has deliveries in that month.
const dateRange = DAYS;
const ours = { timeDimensions: [{ dimension: TIME, dateRange }] };

/** The customer and day of each delivery that this file creates. */
const MADE = [
  ['Acme Dagupan', '01'], ['acme Baguio', '01'], ['Acme Dagupan', '03'], ['Bohol 100% Pure', '03'],
  ['Acme Dagupan', '04'], ['Cebu Mart', '10'],
];

/** The requests so far, in order. */
const calls = [];
let token;
let api;

/** The client uses the global fetch. */
async function listening(address, options) {
  const answer = await plainFetch(address, options);
  const text = await answer.clone().text();
  calls.push({ method: options?.method ?? 'GET', status: answer.status, text });
  return answer;
}
let plainFetch;

const last = () => JSON.parse(calls.at(-1).text);
const refused = async (promise) => {
  const ended = await promise.then(() => null, (error) => error);
  assert.ok(ended, 'this was accepted');
  return ended;
};
const counted = async (filters) => {
  const answer = await api.load({ measures: [COUNT], ...ours, filters });
  return Number(answer.rawData()[0][COUNT]);
};

const CREATE = 'mutation M($input: CreateDeliveryInput!) { createDelivery(input: $input) { id } }';

before(async () => {
  plainFetch = globalThis.fetch;
  await ensureAdmin();
  token = (await signedIn()).token;
  const office = graphql(new Browser(url), token);
  for (const [at, [customername, day]] of MADE.entries()) {
    const scheduledatetime = `2031-03-${day}T08:00:00.000Z`;
    await office.mutate(CREATE, { input: { id: `CUBE-${at}`, customername, shipmentnumber: 'CUBE-S', scheduledatetime } });
  }
  globalThis.fetch = listening;
  api = cubejs(`Bearer ${token}`, { apiUrl });
  const deadline = Date.now() + 30_000;
  while ((await counted([])) !== MADE.length) {
    assert.ok(Date.now() < deadline, `analytics has ${await counted([])} of ${MADE.length} deliveries`);
    await delay(50);
  }
});

test('meta lists the cubes with the members that the specification names', async () => {
  const meta = await api.meta();
  for (const cube of meta.cubes) {
    assert.deepEqual(cube.segments, []);
    for (const member of [...cube.measures, ...cube.dimensions]) {
      assert.ok(member.name.startsWith(`${cube.name}.`) && member.title && member.shortTitle, member.name);
      assert.ok(['string', 'number', 'time', 'boolean'].includes(member.type), member.type);
    }
  }
  const names = [
    CUSTOMER, 'Delivery.shipmentnumber', 'Delivery.deliverystatus', 'Variance.reason', 'Driver.driverId',
    'Driver.driverName', 'Shipment.shipmentstatus', 'Delivery.source', 'Delivery.outcomeReason', 'Delivery.conflict',
  ];
  for (const name of names) assert.equal(meta.resolveMember(name, 'dimensions').error, undefined);
});

test('a token comes bare or behind a scheme; without a good one the answer is 403 with a text', async () => {
  for (const good of [token, `Bearer ${token}`]) await cubejs(good, { apiUrl }).meta();
  for (const bad of [undefined, 'undefined', async () => null, 'Bearer nope', 'nope']) {
    const error = await refused(cubejs(bad, { apiUrl }).meta());
    assert.equal(error.status, 403);
    assert.equal(typeof error.response.error, 'string');
  }
});

test('a measure alone is one row with its number as text, in a whole envelope', async () => {
  const answer = await api.load({ measures: [COUNT], ...ours });
  const { queryType, results, pivotQuery, slowQuery } = last();
  assert.deepEqual([queryType, pivotQuery.queryType, slowQuery], ['regularQuery', 'regularQuery', false]);
  const [{ query, data, annotation, lastRefreshTime }] = results;
  assert.deepEqual(data, [{ [COUNT]: String(MADE.length) }]);
  assert.deepEqual([query.limit, query.timezone], [10_000, 'UTC']);
  assert.ok(Number.isFinite(Date.parse(lastRefreshTime)));
  assert.equal(annotation.measures[COUNT].title, 'Deliveries');
  assert.deepEqual(Object.keys(annotation).sort(), ['dimensions', 'measures', 'segments', 'timeDimensions']);
  assert.equal(answer.rawData().length, 1);
});

test('a measure by a dimension comes with the highest number first and adds up', async () => {
  const answer = await api.load({ measures: [COUNT], dimensions: [CUSTOMER], ...ours });
  const numbers = answer.rawData().map((row) => Number(row[COUNT]));
  assert.deepEqual(numbers, [3, 1, 1, 1]);
  assert.equal(answer.rawData()[0][CUSTOMER], 'Acme Dagupan');
  assert.deepEqual(answer.tableColumns().map(({ title }) => title), ['Customer Name', 'Deliveries']);
  assert.equal(answer.tablePivot()[0][COUNT], '3');
});

test('a series by day says where days begin, and the client fills the gaps without losing a row', async () => {
  const asked = { measures: [COUNT], timeDimensions: [{ dimension: TIME, granularity: 'day', dateRange }] };
  const answer = await api.load(asked);
  const days = ['2031-03-01T00:00:00.000', '2031-03-03T00:00:00.000', '2031-03-04T00:00:00.000', '2031-03-10T00:00:00.000'];
  assert.deepEqual(answer.rawData().map((row) => row[`${TIME}.day`]), days);
  assert.deepEqual(answer.rawData().map((row) => row[TIME]), days);
  const { dateRange: echoed } = last().results[0].query.timeDimensions[0];
  assert.deepEqual(echoed, ['2031-03-01T00:00:00.000', '2031-03-10T23:59:59.999']);
  assert.deepEqual(answer.chartPivot().map((point) => point[COUNT]), [2, 0, 2, 1, 0, 0, 0, 0, 0, 1]);
  assert.equal(answer.series()[0].series.length, 10);
  const { timeDimensions } = answer.annotation();
  assert.equal(timeDimensions[`${TIME}.day`].granularity.name, 'day');
  assert.ok(timeDimensions[TIME]);
});

test('a short question goes by GET and a long one by POST, with the same answer', async () => {
  assert.equal(await counted([]), MADE.length);
  assert.equal(calls.at(-1).method.toUpperCase(), 'GET');
  const values = Array.from({ length: 120 }, (_, at) => `no such customer ${at}`);
  assert.equal(await counted([{ member: CUSTOMER, operator: 'notEquals', values }]), MADE.length);
  assert.equal(calls.at(-1).method.toUpperCase(), 'POST');
});

test('filters on texts agree with each other and take wildcards as they are', async () => {
  const on = (operator, ...values) => counted([{ member: CUSTOMER, operator, ...(values.length > 0 && { values }) }]);
  assert.equal(await on('equals', 'Acme Dagupan'), 3);
  assert.equal(await on('notEquals', 'Acme Dagupan'), 3);
  assert.equal(await on('equals', 'Acme Dagupan', 'Cebu Mart'), 4);
  assert.equal(await on('contains', 'DAGU'), 3);
  assert.equal(await on('notContains', 'dagu'), 3);
  assert.equal(await on('startsWith', 'ACME'), 4);
  assert.equal(await on('endsWith', 'MART'), 1);
  assert.equal(await on('contains', '%'), 1);
  assert.equal(await on('startsWith', '_'), 0);
  assert.equal((await on('set')) + (await on('notSet')), MADE.length);
});

test('the values of a dropdown are distinct, sorted, and begin with what was typed', async () => {
  const filters = [{ member: CUSTOMER, operator: 'startsWith', values: ['a'] }];
  const answer = await api.load({ dimensions: [CUSTOMER], filters, limit: 100, order: { [CUSTOMER]: 'asc' }, ...ours });
  assert.deepEqual(answer.rawData().map((row) => row[CUSTOMER]), ['acme Baguio', 'Acme Dagupan']);
});

test('order comes as object or pairs; a page knows how many rows there are in all', async () => {
  const names = async (more) => {
    const answer = await api.load({ dimensions: [CUSTOMER], ...ours, ...more });
    return { names: answer.rawData().map((row) => row[CUSTOMER]), total: answer.totalRows() };
  };
  const up = await names({ order: { [CUSTOMER]: 'asc' } });
  const down = await names({ order: [[CUSTOMER, 'desc']] });
  assert.deepEqual(down.names, up.names.toReversed());
  const page = await names({ order: { [CUSTOMER]: 'asc' }, limit: 1, offset: 1, total: true });
  assert.deepEqual(page, { names: [up.names[1]], total: 4 });
});

test('what is no query is refused by 400 with its reason', async () => {
  const empty = 'Query should contain either measures, dimensions or timeDimensions with granularities in order to be valid';
  const filters = [{ member: CUSTOMER, operator: 'equals', values: [] }];
  const cases = [
    [{ measures: ['Nope.count'] }, "Cube 'Nope' not found for path 'Nope.count'"],
    [{ measures: ['Delivery.nope'] }, "'nope' not found for path 'Delivery.nope'"],
    [{ measures: [COUNT], filters }, /^Values required for filter: \{/],
    [{}, empty],
    [{ measures: [COUNT], timeDimensions: [{ dimension: TIME, dateRange: 'some day' }] }, "Can't parse date: 'some day'"],
    [{ measures: [COUNT], surprise: 1 }, /^Invalid query format: /],
  ];
  for (const [query, text] of cases) {
    const error = await refused(api.load(query));
    assert.equal(error.status, 400, JSON.stringify(query));
    if (text instanceof RegExp) assert.match(error.message, text);
    else assert.equal(error.message, text);
  }
  for (const [question, text] of [['?query=NOT_JSON', /^Unable to decode query param as JSON, error: /], ['', /^Query param is required$/]]) {
    const answer = await plainFetch(`${apiUrl}/load${question}`, { headers: { authorization: token } });
    assert.equal(answer.status, 400);
    assert.match((await answer.json()).error, text);
  }
});

test('a dry run says how a query will be read', async () => {
  const dry = await api.dryRun({ measures: [COUNT], dimensions: [CUSTOMER] });
  assert.equal(dry.queryType, 'regularQuery');
  assert.deepEqual(dry.queryOrder, [{ [COUNT]: 'desc' }]);
  assert.deepEqual(dry.normalizedQueries[0].order, [{ id: COUNT, desc: true }]);
  assert.equal(dry.pivotQuery.queryType, 'regularQuery');
});

test('an administrator sees the statement; a viewer sees figures, and is refused by the missing right', async () => {
  const statement = await api.sql({ measures: [COUNT] });
  assert.match(statement.sql(), /^SELECT /);

  const { username, resetToken } = await invited(token, 'cube-viewer', ['viewer']);
  const viewer = open();
  await viewer.client.resetPassword({ resetToken, password: admin.password });
  await viewer.client.login({ username, password: admin.password });
  const own = await viewer.client.getToken();
  globalThis.fetch = listening;
  const figures = cubejs(own, { apiUrl });
  assert.equal((await figures.load({ measures: [COUNT], ...ours })).rawData()[0][COUNT], String(MADE.length));
  const error = await refused(figures.sql({ measures: [COUNT] }));
  assert.deepEqual([error.status, error.message], [403, 'API scope is missing: sql']);
});

test('a cell leads to what it counts', async () => {
  const answer = await api.load({ measures: [COUNT], dimensions: [CUSTOMER], ...ours });
  const { xValues } = answer.chartPivot()[0];
  const query = answer.drillDown({ xValues });
  assert.ok(query.filters.some(({ operator }) => operator === 'measureFilter'));
  const rows = (await api.load(query)).rawData();
  const ids = rows.filter((row) => row['Delivery.id'].startsWith('CUBE-')).map((row) => row['Delivery.id']);
  assert.deepEqual(ids.sort(), ['CUBE-0', 'CUBE-2', 'CUBE-4']);
});

test('two ranges are laid side by side', async () => {
  const compareDateRange = [['2031-03-01', '2031-03-03'], ['2031-03-04', '2031-03-06']];
  const answer = await api.load({ measures: [COUNT], timeDimensions: [{ dimension: TIME, granularity: 'day', compareDateRange }] });
  const { queryType, results, pivotQuery } = last();
  assert.equal(queryType, 'compareDateRangeQuery');
  assert.equal(pivotQuery.dimensions[0], 'compareDateRange');
  for (const { data, query } of results) {
    const label = query.timeDimensions[0].dateRange.join(' - ');
    assert.ok(data.length > 0 && data.every((row) => row.compareDateRange === label));
  }
  assert.equal(answer.decompose().length, 2);
  assert.equal(answer.chartPivot().length, 3);
});

test('several queries are blended by their days', async () => {
  const by = (measure) => ({ measures: [measure], timeDimensions: [{ dimension: TIME, granularity: 'day', dateRange }] });
  const answer = await api.load([by(COUNT), by('Shipment.count')]);
  assert.equal(last().queryType, 'blendingQuery');
  assert.deepEqual(answer.chartPivot().map((point) => [point[COUNT], point['Shipment.count']])[2], [2, 1]);
});

test('the short formats carry the same rows', async () => {
  const query = { measures: [COUNT], dimensions: [CUSTOMER], ...ours };
  const rows = (await api.load(query)).rawData();
  for (const format of ['compact', 'columnar']) {
    assert.deepEqual((await api.load(query, {}, undefined, format)).rawData(), rows);
    assert.ok(!Array.isArray(last().results[0].data), `${format} came as rows`);
  }
});

test('a limit is a whole number up to 50000', async () => {
  await api.load({ dimensions: [CUSTOMER], limit: 50_000 });
  for (const limit of [50_001, -1, 1.5, '10']) {
    assert.equal((await refused(api.load({ dimensions: [CUSTOMER], limit }))).status, 400, `limit ${limit}`);
  }
});

test('a plain POST is answered with one result, as the dropdowns read it', async () => {
  const query = { dimensions: [CUSTOMER], limit: 100, ...ours };
  for (const address of [`${apiUrl}/load`, `${url}/load`]) {
    const headers = { 'content-type': 'application/json', authorization: token };
    const answer = await plainFetch(address, { method: 'POST', headers, body: JSON.stringify({ query }) });
    assert.equal(answer.status, 200);
    const body = await answer.json();
    assert.equal(body.data.length, 4);
    assert.ok(body.query && body.annotation && !('results' in body));
  }
});

/** Waits until the last props of a component are ready. */
async function drawn(element, ready) {
  let tree;
  await renderer.act(async () => {
    tree = renderer.create(element);
  });
  const deadline = Date.now() + 10_000;
  while (!ready()) {
    assert.ok(Date.now() < deadline, 'the component waits for ever');
    await renderer.act(() => delay(20));
  }
  return tree;
}

test('the hook of React gets a result', async () => {
  let state = {};
  const Counter = () => {
    state = useCubeQuery({ measures: [COUNT], ...ours });
    return null;
  };
  const element = React.createElement(CubeProvider, { cubeApi: api }, React.createElement(Counter));
  const tree = await drawn(element, () => state.error || state.resultSet);
  assert.equal(state.error, null);
  assert.equal(state.resultSet.rawData()[0][COUNT], String(MADE.length));
  await renderer.act(async () => tree.unmount());
});

test('the query builder reads the members, and a measure that is added is asked for', async () => {
  let shown = {};
  const render = (props) => {
    shown = props;
    return null;
  };
  const element = React.createElement(QueryBuilder, { cubeApi: api, defaultQuery: {}, render });
  const tree = await drawn(element, () => shown.metaError || shown.availableMeasures?.length > 0);
  await renderer.act(async () => {
    shown.updateMeasures.add(shown.availableMeasures.find(({ name }) => name === COUNT));
  });
  const deadline = Date.now() + 10_000;
  while (!shown.resultSet && !shown.error && Date.now() < deadline) await renderer.act(() => delay(20));
  assert.ok(shown.resultSet, String(shown.error));
  assert.equal(shown.dryRunResponse.queryType, 'regularQuery');
  assert.deepEqual(shown.missingMembers, []);
  await renderer.act(async () => tree.unmount());
});

/**
 * Closes the transport once the client has unsubscribed, which takes a tenth of a second. If it were closed
 * earlier, the client would open another connection in order to unsubscribe.
 */
async function ended(transport) {
  await delay(200);
  await transport.close();
}

const overSocket = () => new Socket({ authorization: token, apiUrl: `${url.replace(/^http/, 'ws')}/cubejs-api/v1` });

test('the socket answers a query', async () => {
  const transport = overSocket();
  try {
    const answer = await cubejs({ transport }).load({ measures: [COUNT], ...ours });
    assert.equal(answer.rawData()[0][COUNT], String(MADE.length));
  } finally {
    await ended(transport);
  }
});

test('the socket answers a saved query by its id', async () => {
  globalThis.fetch = plainFetch;
  const state = JSON.stringify({ query: JSON.stringify({ measures: [COUNT], ...ours }) });
  const savedView = { name: 'March over the socket', list: 'queryLab', state, shared: false };
  const { createSavedView: saved } = await graphql(new Browser(url), token).mutate(
    'mutation M($input: CreateSavedViewInput!) { createSavedView(input: $input) { id } }',
    { input: { creationId: randomUUID(), savedView } },
  );
  const transport = overSocket();
  const request = transport.request('load', { savedQuery: saved.id });
  try {
    const answer = await new Promise((resolve) => {
      request.subscribe(resolve);
    });
    const { data, error } = await answer.json();
    assert.equal(answer.status, 200, error);
    assert.equal(data[0][COUNT], String(MADE.length));
  } finally {
    // The transport would open its connection again for a request that is still subscribed to.
    await request.unsubscribe();
    await ended(transport);
  }
});

test('a subscription gets a first result, and another once a delivery is added', async () => {
  const transport = overSocket();
  const query = { measures: [COUNT], timeDimensions: [{ dimension: TIME, dateRange: ['2031-04-01', '2031-04-02'] }] };
  const seen = [];
  const arrived = [];
  const subscription = cubejs({ transport }).subscribe(query, {}, (error, result) => {
    seen.push(error ?? result.rawData()[0][COUNT]);
    arrived.splice(0).forEach((wake) => wake());
  });
  const next = async (count) => {
    while (seen.length < count) await new Promise((wake) => arrived.push(wake));
  };
  try {
    await next(1);
    const scheduledatetime = '2031-04-01T08:00:00.000Z';
    globalThis.fetch = plainFetch;
    const input = { id: 'CUBE-LATER', customername: 'Cebu Mart', shipmentnumber: 'CUBE-S', scheduledatetime };
    await graphql(new Browser(url), token).mutate(CREATE, { input });
    await next(2);
    assert.deepEqual(seen, ['0', '1']);
  } finally {
    await subscription.unsubscribe();
    await ended(transport);
  }
});
