// Apollo's client with /graphql: the envelope of responses, and what every object type must return.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Browser } from '../support/browser.mjs';
import { apollo, ensureAdmin, failure, graphql, signedIn, url } from '../support/clients.mjs';
import { importSmallFile } from '../support/import.mjs';

const EVERYTHING = `query Everything($id: String!, $page: PageOptions) {
  redwood { version currentUser }
  adminNeeded { needed setupTokenNeeded }
  deliveries(page: $page) {
    id deliverystatus scheduledatetime
    items { itemNumber quantity }
    history { toStatus occurredAt }
    shipment { shipmentnumber }
    customer { customerName }
    source { name }
  }
  deliveriesCount { total exact }
  uploadLog(id: $id) { status source { id } }
  uploadRows(uploadLog: $id) { rowNumber messages { code } }
}`;

let token;
let uploadLog;

before(async () => {
  await ensureAdmin();
  ({ token } = await signedIn());
  uploadLog = await importSmallFile(token);
});

test('GQL-A1: the body Apollo sends is accepted and answered with data alone', async () => {
  const browser = new Browser(url);
  const data = await graphql(browser).query('query Who { redwood { currentUser } }');
  assert.equal(data.redwood.currentUser, null);
  assert.deepEqual(Object.keys(JSON.parse(browser.last.sent.body)).toSorted(), ['operationName', 'query', 'variables']);
  assert.equal(browser.last.sent.headers.accept, '*/*');
  assert.equal(browser.last.status, 200);
  assert.match(browser.last.headers.get('content-type'), /^application\/json/);
});

test('every object answers __typename, which Apollo adds to each selection', async () => {
  const data = await graphql(new Browser(url), token).query(EVERYTHING, { id: uploadLog, page: { limit: 2 } });
  const [delivery] = data.deliveries;
  assert.equal(data.deliveries.length, 2);
  const names = [data.redwood, data.adminNeeded, delivery, delivery.items[0], delivery.history[0], delivery.shipment]
    .concat([delivery.customer, delivery.source, data.deliveriesCount, data.uploadLog])
    .map((object) => object.__typename);
  assert.deepEqual(names, [
    'Redwood',
    'AdminNeeded',
    'Delivery',
    'DeliveryItem',
    'DeliveryStatusHistory',
    'Shipment',
    'Customer',
    'Source',
    'Count',
    'UploadLog',
  ]);
});

test('Apollo’s own cache takes the answer, so objects are the same wherever they appear', async () => {
  const { ApolloClient, HttpLink, InMemoryCache, gql } = apollo;
  const link = new HttpLink({ uri: `${url}/graphql`, fetch: globalThis.fetch, headers: { authorization: `Bearer ${token}` } });
  const client = new ApolloClient({ cache: new InMemoryCache(), link });
  const list = await client.query({ query: gql('{ deliveries(page: { limit: 1 }) { id version } }') });
  const [{ id, version }] = list.data.deliveries;
  const one = await client.query({ query: gql('query($id: String!) { delivery(id: $id) { id version } }'), variables: { id } });
  assert.equal(one.data.delivery.version, version);
  assert.ok(client.cache.extract()[`Delivery:${id}`]);
});

test('times are instants with an offset, and numbers are numbers', async () => {
  const data = await graphql(new Browser(url), token).query(EVERYTHING, { id: uploadLog, page: { limit: 1 } });
  const [delivery] = data.deliveries;
  assert.match(delivery.scheduledatetime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
  assert.equal(typeof delivery.items[0].quantity, 'number');
  assert.equal(typeof data.deliveriesCount.total, 'number');
});

test('GQL-A2: a field that does not exist is an error with a text, in JSON', async () => {
  const browser = new Browser(url);
  const error = await failure(graphql(browser).query('query Bad { noSuchField }'));
  assert.equal(browser.last.status, 200);
  assert.match(error.graphQLErrors[0].message, /noSuchField/);
  assert.equal(error.graphQLErrors[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED');
});

test('GQL-A3: a guarded operation of nobody is UNAUTHENTICATED, 200, and tells nothing', async () => {
  const operations = [
    'query A { deliveries { id } }',
    'query B { deliveriesCount { total } }',
    'query C { delivery(id: "80100001") { id } }',
    'query D { customers { customerName } }',
    'query E { sources { name } }',
    'query F { uploadLogs { id } }',
    'query G { getTruckerDrilldown(startsWith: "b") }',
    'query H { drivers { driverId name } }',
  ];
  for (const operation of operations) {
    const browser = new Browser(url);
    const error = await failure(graphql(browser).query(operation));
    assert.equal(browser.last.status, 200);
    assert.equal(error.graphQLErrors[0].extensions.code, 'UNAUTHENTICATED', operation);
    assert.equal(error.graphQLErrors[0].message, "You don't have permission to do that.");
    assert.equal(JSON.parse(browser.last.text).data ?? null, null);
  }
});

test('GQL-A4: the same operation works with cookie and token, and with the token alone', async () => {
  const { browser, token: own } = await signedIn();
  const both = await graphql(browser, own).query('query A { deliveriesCount { total } }');
  assert.ok(browser.last.sent.headers.cookie);
  const alone = new Browser(url);
  const bearer = await graphql(alone, own).query('query A { deliveriesCount { total } }');
  assert.equal(alone.last.sent.headers.cookie, undefined);
  assert.deepEqual(bearer, both);
});

test('a guarded field is refused beside a public one, too', async () => {
  const browser = new Browser(url);
  await browser.post('/graphql', { query: '{ redwood { version } deliveriesCount { total } }' });
  const answer = JSON.parse(browser.last.text);
  assert.equal(browser.last.status, 200);
  assert.equal(answer.errors[0].extensions.code, 'UNAUTHENTICATED');
});

test('nothing there is null and no error', async () => {
  const query = 'query($id: String!) { delivery(id: $id) { id } uploadLog(id: $id) { id } }';
  const data = await graphql(new Browser(url), token).query(query, { id: 'no-such-id' });
  assert.deepEqual(data, { delivery: null, uploadLog: null });
});

test('the lookup of drivers takes a page and answers ids and names', async () => {
  const driverId = `CT/${Date.now()}`;
  const create = 'mutation M($input: CreateDriverInput!) { createDriver(input: $input) { driverId status } }';
  const input = { driverId, name: 'Ligaya Santos', username: driverId.replace('/', '-').toLowerCase() };
  const { createDriver } = await graphql(new Browser(url), token).mutate(create, { input });
  assert.deepEqual(createDriver, { __typename: 'Driver', driverId, status: 'active' });

  const lookup = 'query Drivers($page: PageOptions) { drivers(page: $page) { driverId name } }';
  const page = {
    where: [{ key: 'driverId', operator: 'contains', values: [driverId.toLowerCase()] }],
    sort: [{ key: 'name', direction: 'asc' }],
    limit: 20,
    offset: 0,
  };
  const { drivers } = await graphql(new Browser(url), token).query(lookup, { page });
  assert.deepEqual(drivers, [{ __typename: 'Driver', driverId, name: 'Ligaya Santos' }]);
});

test('the schema is not given away', async () => {
  for (const query of ['{ __schema { types { name } } }', '{ __type(name: "Query") { name } }']) {
    const error = await failure(graphql(new Browser(url), token).query(query));
    assert.equal(error.graphQLErrors[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED');
  }
});

test('persisted queries are declined in the words Apollo understands', async () => {
  const browser = new Browser(url);
  const persistedQuery = { version: 1, sha256Hash: '0'.repeat(64) };
  await browser.post('/graphql', { operationName: 'A', variables: {}, extensions: { persistedQuery } });
  const answer = JSON.parse(browser.last.text);
  assert.equal(browser.last.status, 200);
  assert.equal(answer.errors[0].message, 'PersistedQueryNotSupported');
});

test('GQL-A6: malformed requests are refused in JSON and never a server error', async () => {
  const bodies = ['', '{', '[]', '{}', 'null', '7', '{"query":1}', '{"query":null}', '{"query":""}', '{"query":"{"}'];
  const odd = [
    { query: '{ redwood { version } }', variables: [] },
    { query: '{ redwood { version } }', variables: 'x' },
    { query: '{ redwood { version } }', operationName: 'Other' },
    { query: 'query A { redwood { version } } query B { redwood { version } }' },
    { query: '{ redwood '.repeat(200) },
    { query: `{ ${'[('.repeat(500)} }` },
    { query: '{ a: redwood { ...F } } fragment F on Redwood { ...F }' },
    { query: '{ deliveries(page: { limit: 99999999999999999999 }) { id } }' },
    { query: '"\u0000"' },
    [{ query: '{ redwood { version } }' }],
  ];
  for (const body of [...bodies, ...odd.map((it) => JSON.stringify(it))]) {
    const browser = new Browser(url);
    await browser.post('/graphql', body);
    const { status, text } = browser.last;
    assert.ok(status === 200 || (status >= 400 && status < 500), `${status} for ${body.slice(0, 80)}`);
    const [error] = JSON.parse(text).errors;
    assert.ok(error.message, text);
    assert.ok(error.extensions.code, text);
  }
});

test('a request that a form of another site could send is refused', async () => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
    const browser = new Browser(url);
    await browser.post('/graphql', { query: '{ redwood { version } }' }, { 'content-type': type });
    assert.equal(browser.last.status, 415, type);
  }
  const browser = new Browser(url);
  await browser.fetch('/graphql?query={redwood{version}}');
  assert.equal(browser.last.status, 404);
});

test('what costs too much is refused by name', async () => {
  const wide = Array.from({ length: 40 }, (_, at) => `a${at}: redwood { version }`).join(' ');
  const long = `{ redwood { ${'version '.repeat(3000)} } }`;
  for (const query of [`{ ${wide} }`, long]) {
    const browser = new Browser(url);
    await browser.post('/graphql', { query });
    const [error] = JSON.parse(browser.last.text).errors;
    assert.equal(browser.last.status, 200);
    assert.equal(error.extensions.code, 'GRAPHQL_VALIDATION_FAILED');
    assert.match(error.message, /more than \d+/);
  }
});
