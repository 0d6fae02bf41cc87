// GQL-A5: what the forms package shows for errors of this server.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Browser } from '../support/browser.mjs';
import { apollo, ensureAdmin, failure, formError, graphql, inMarkup, signedIn, url } from '../support/clients.mjs';

let token;

before(async () => {
  await ensureAdmin();
  ({ token } = await signedIn());
});

const LIST = 'query List($page: PageOptions) { deliveries(page: $page) { id } }';
const filter = (key, operator, ...values) => ({ where: [{ key, operator, values }] });

const BAD_PAGES = {
  'too many rows': { limit: 1000 },
  'no rows': { limit: 0 },
  'a negative limit': { limit: -1 },
  'a negative offset': { offset: -1 },
  'a filter key that does not exist': filter('password_hash', 'equals', 'x'),
  'an operator that does not exist': filter('deliverystatus', 'like', 'x'),
  'a value of another type': filter('deliverystatus', 'equals', 'Lost'),
  'half a date range': filter('scheduledatetime', 'inDateRange', '2026-01-01T00:00:00Z'),
  'a sort key that does not exist': { sort: [{ key: 'internalNote; drop table', direction: 'asc' }] },
};

for (const [what, page] of Object.entries(BAD_PAGES)) {
  test(`GQL-A5: ${what} is BAD_USER_INPUT that FormError can show`, async () => {
    const browser = new Browser(url);
    const error = await failure(graphql(browser, token).query(LIST, { page }));
    assert.equal(browser.last.status, 200);
    const { code, properties } = error.graphQLErrors[0].extensions;
    assert.equal(code, 'BAD_USER_INPUT');
    const messages = Object.values(properties.messages);
    assert.ok(messages.length > 0);
    const shown = formError(error);
    assert.match(shown, /Errors prevented this form from being saved/);
    for (const texts of messages) {
      assert.ok(Array.isArray(texts) && texts.every((text) => typeof text === 'string' && text.trim()));
      for (const text of texts) assert.ok(shown.includes(`<li>${inMarkup(text)}</li>`), `${text} is not in ${shown}`);
    }
  });
}

test('an error that is no field’s shows its text as the title', async () => {
  const error = await failure(graphql(new Browser(url)).query(LIST));
  assert.ok(formError(error).includes(inMarkup("You don't have permission to do that.")));
});

test('an argument of another type is an error FormError can show', async () => {
  for (const page of [{ limit: 'many' }, { where: 7 }, { sort: [{ key: 'id', direction: 'sideways' }] }]) {
    const browser = new Browser(url);
    const error = await failure(graphql(browser, token).query(LIST, { page }));
    assert.equal(browser.last.status, 200);
    assert.ok(['BAD_USER_INPUT', 'GRAPHQL_VALIDATION_FAILED'].includes(error.graphQLErrors[0].extensions.code));
    assert.notEqual(formError(error), '');
  }
});

test('a body that is not readable becomes a network error with its text', async () => {
  const browser = new Browser(url);
  const { ApolloClient, HttpLink, InMemoryCache, gql } = apollo;
  // Use the address of a page, as if a proxy were set up wrongly.
  const link = new HttpLink({ uri: `${url}/login`, fetch: browser.fetch, useGETForQueries: true });
  const client = new ApolloClient({ cache: new InMemoryCache(), link });
  const error = await failure(client.query({ query: gql('{ redwood { version } }') }));
  assert.ok(error.networkError);
  assert.match(formError(error), /ServerParseError/);
});
