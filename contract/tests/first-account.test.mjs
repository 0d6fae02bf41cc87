// The first account, as the forms package sees it: errors about invalid input must reach the right field.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Browser } from '../support/browser.mjs';
import { React, admin, failure, formError, forms, graphql, inMarkup, open, renderer, url } from '../support/clients.mjs';

const CREATE = `mutation CreateAdmin($input: CreateAdminInput!) {
  createAdmin(input: $input) { id username email roles }
}`;
const NEEDED = 'query AdminNeeded { adminNeeded { needed setupTokenNeeded } }';

test('bad input is BAD_USER_INPUT with a list of texts per form field, and FormError lists them all', async () => {
  const browser = new Browser(url);
  const input = { username: '   ', email: 'no address', password: 'short' };
  const error = await failure(graphql(browser).mutate(CREATE, { input }));
  assert.equal(browser.last.status, 200);
  const { code, properties } = error.graphQLErrors[0].extensions;
  assert.equal(code, 'BAD_USER_INPUT');
  // These are the names of the form's fields. With other names, the messages would not reach the fields.
  assert.deepEqual(Object.keys(properties.messages).toSorted(), ['email', 'password', 'username']);
  const shown = formError(error);
  assert.match(shown, /Errors prevented this form from being saved/);
  for (const texts of Object.values(properties.messages)) {
    assert.ok(Array.isArray(texts), 'a bare text would break the form');
    for (const text of texts) assert.ok(shown.includes(`<li>${inMarkup(text)}</li>`), `${text} is not in ${shown}`);
  }
});

test('in a form of the forms package each text appears at the field it is about', async (t) => {
  const input = { username: '', email: 'no address', password: 'short' };
  const error = await failure(graphql(new Browser(url)).mutate(CREATE, { input }));
  const { messages } = error.graphQLErrors[0].extensions.properties;
  const { FieldError, Form, TextField } = forms;
  const names = Object.keys(input);
  const field = (name) =>
    React.createElement('label', { key: name }, React.createElement(TextField, { name }), React.createElement(FieldError, { name }));
  const fields = names.map(field);
  const form = (shown) => React.createElement(Form, { error: shown }, fields);
  // react-test-renderer prints at every use that it is deprecated.
  const realError = console.error;
  console.error = () => {};
  t.after(() => {
    console.error = realError;
  });
  let tree;
  await renderer.act(async () => {
    tree = renderer.create(form(undefined), { createNodeMock: () => ({ focus() {} }) });
  });
  await renderer.act(async () => tree.update(form(error)));
  const shown = tree.root.findAllByType('span').map((span) => span.children.join(''));
  assert.deepEqual(shown, names.map((name) => messages[name].join(' ')));
  await renderer.act(async () => tree.unmount());
});

test('a password that everybody tries first is refused at its own field', async () => {
  const input = { ...admin, password: 'Password123!' };
  const error = await failure(graphql(new Browser(url)).mutate(CREATE, { input }));
  const { code, properties } = error.graphQLErrors[0].extensions;
  assert.equal(code, 'BAD_USER_INPUT');
  assert.deepEqual(Object.keys(properties.messages), ['password']);
});

test('a field that is missing or of another type is refused without a server error', async () => {
  for (const input of [{}, { ...admin, username: 7 }, { ...admin, extra: 'x' }, null]) {
    const browser = new Browser(url);
    await browser.post('/graphql', { query: CREATE, variables: { input } });
    assert.equal(browser.last.status, 200);
    const answer = JSON.parse(browser.last.text);
    assert.ok(answer.errors[0].message);
    assert.equal(answer.data ?? null, null);
  }
});

test('the first account is made once, signs nobody in, and can sign in', async () => {
  const browser = new Browser(url);
  const { adminNeeded } = await graphql(browser).query(NEEDED);
  assert.deepEqual([adminNeeded.needed, adminNeeded.setupTokenNeeded], [true, false]);

  const { createAdmin } = await graphql(browser).mutate(CREATE, { input: admin });
  assert.equal(createAdmin.username, admin.username);
  assert.equal(createAdmin.email, admin.email);
  assert.deepEqual(createAdmin.roles, ['admin']);
  assert.equal(browser.cookies.size, 0);

  assert.equal((await graphql(browser).query(NEEDED)).adminNeeded.needed, false);
  const { client } = open();
  const user = await client.login({ username: admin.username, password: admin.password });
  assert.equal(user.id, createAdmin.id);
});

test('a second first account is refused, and FormError has a text to show', async () => {
  const browser = new Browser(url);
  const input = { username: 'second', email: 'second@example.ph', password: 'habagat-77-molave' };
  const error = await failure(graphql(browser).mutate(CREATE, { input }));
  assert.equal(browser.last.status, 200);
  assert.ok(formError(error).includes(inMarkup(error.graphQLErrors[0].message)));
  const { client } = open();
  assert.equal(typeof (await client.login({ username: input.username, password: input.password })).error, 'string');
});
