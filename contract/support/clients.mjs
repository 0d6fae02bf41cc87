// The published packages, set up as the product's own pages would.
import { createRequire } from 'node:module';
import { Browser } from './browser.mjs';

const require = createRequire(import.meta.url);

export const url = process.env.WAYBILL_URL;
if (!url) throw new Error('WAYBILL_URL is missing; run `npm test`');

/** The session cookie's name: browsers send a host's cookies to all of its ports. */
export const SESSION = `session_${new URL(url).port}`;

export const admin = { username: 'contract-admin', email: 'contract@example.ph', password: 'lagundi-42-tamaraw' };

// The packages read these globals instead of taking options. Without the first, they fail to load.
globalThis.RWJS_ENV = {};
globalThis.RWJS_API_URL = url;
globalThis.RWJS_API_GRAPHQL_URL = `${url}/graphql`;
globalThis.IS_REACT_ACT_ENVIRONMENT = true;

export const { createDbAuthClient, createAuth } = require('@redwoodjs/auth-dbauth-web');
export const apollo = require('@apollo/client/core');
export const forms = require('@redwoodjs/forms');
export const React = require('react');
export const { renderToStaticMarkup } = require('react-dom/server');
export const renderer = require('react-test-renderer');

/**
 * Returns a browser with the auth client. The client uses the global fetch, which is the one of this browser
 * from now on.
 */
export function open(browser = new Browser(url)) {
  globalThis.fetch = browser.fetch;
  const fetchConfig = { credentials: 'include' };
  const client = createDbAuthClient({ dbAuthUrl: `${browser.base}/auth`, fetchConfig, middleware: false });
  return { browser, client };
}

export async function signedIn() {
  const opened = open();
  await opened.client.login({ username: admin.username, password: admin.password });
  const token = await opened.client.getToken();
  if (!token) throw new Error(`nobody was signed in: ${opened.browser.last.text}`);
  return { ...opened, token };
}

/** Creates the first account, unless an earlier test file did. */
export async function ensureAdmin() {
  const browser = new Browser(url);
  const query = 'mutation First($input: CreateAdminInput!) { createAdmin(input: $input) { id } }';
  await browser.post('/graphql', { query, variables: { input: admin } });
}

/** Creates an account as an admin, and returns it with the link for setting its password. */
export async function invited(token, username, roles) {
  const browser = new Browser(url);
  const create = 'mutation M($input: CreateUserInput!) { createUser(input: $input) { id } }';
  const link = 'mutation M($input: CreateResetLinkInput!) { createResetLink(input: $input) { path } }';
  const input = { username, email: `${username}@example.ph`, roles };
  const { createUser } = await graphql(browser, token).mutate(create, { input });
  const { createResetLink } = await graphql(browser, token).mutate(link, { input: { userId: createUser.id } });
  const resetToken = new URL(createResetLink.path, url).searchParams.get('resetToken');
  return { id: createUser.id, username, resetToken };
}

/** Returns an Apollo client with the headers that Redwood's link adds. */
export function graphql(browser, token) {
  const { ApolloClient, ApolloLink, HttpLink, InMemoryCache, gql } = apollo;
  const headers = token ? { 'auth-provider': 'dbAuth', authorization: `Bearer ${token}` } : {};
  const identify = new ApolloLink((operation, forward) => {
    operation.setContext({ headers });
    return forward(operation);
  });
  const client = new ApolloClient({
    cache: new InMemoryCache({ addTypename: true }),
    link: ApolloLink.from([identify, new HttpLink({ uri: `${browser.base}/graphql`, fetch: browser.fetch })]),
  });
  const fetchPolicy = 'no-cache';
  return {
    query: async (text, variables) =>
      (await client.query({ query: gql(text), variables, fetchPolicy })).data,
    mutate: async (text, variables) =>
      (await client.mutate({ mutation: gql(text), variables, fetchPolicy })).data,
  };
}

/** Returns the ApolloError of a call that must fail. */
export async function failure(promise) {
  const ended = await promise.then(
    (data) => ({ data }),
    (error) => ({ error }),
  );
  if (!ended.error) throw new Error(`this was accepted: ${JSON.stringify(ended.data)}`);
  return ended.error;
}

/** Returns what the form's summary shows for an error. */
export function formError(error) {
  return renderToStaticMarkup(React.createElement(forms.FormError, { error }));
}

/** Returns text as React writes it into markup. */
export function inMarkup(text) {
  return renderToStaticMarkup(React.createElement(React.Fragment, null, text));
}
