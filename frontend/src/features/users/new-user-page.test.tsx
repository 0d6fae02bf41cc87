import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { declarations } from '@/app/declarations';
import { listOf, userAccount } from '@/test/accounts';
import { expectAccessible } from '@/test/axe';
import { type Answer, type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
// Loaded up front, so that no test waits for a lazy import.
import './new-user-page';

let server: FakeServer;
let answer: Answer;

beforeEach(() => {
  answer = { data: { createUser: { __typename: 'User', id: 'id-joan', username: 'joan' } } };
  server = startFakeServer({
    user: rosa,
    operations: {
      CreateUser: () => answer,
      ViewUser: () => ({ data: { user: userAccount('joan', { status: 'invited' }) } }),
      UsersPage: () => listOf('users', []),
      UsersByStatus: () => ({ errors: [{ message: 'down' }] }),
    },
  });
});

async function open() {
  const view = renderRoutes(declarations, '/admin/settings/users/create-new-user');
  await screen.findByRole('heading', { level: 1, name: 'Create new user' });
  await screen.findByLabelText('Username');
  return view;
}

const field = (name: string | RegExp) => screen.getByLabelText(name);
const role = (name: string) => screen.getByRole('checkbox', { name });
const submit = () => screen.getByRole('button', { name: 'Create user' });
const sent = () => server.calls.filter(({ name }) => name === 'CreateUser');

it('says of each role what it may do, and is accessible', async () => {
  await open();
  for (const name of ['Administrator', 'Transport planner', 'Dispatcher', 'Viewer']) {
    expect(role(name)).not.toBeChecked();
    expect(role(name)).toHaveAccessibleDescription(/\w+ .*\.$/);
  }
  await expectAccessible();
});

it('creates the user and goes on to its page', async () => {
  const { user, address } = await open();
  await user.type(field('Username'), 'joan');
  await user.type(field(/^Display name/), '  Joan Pineda ');
  await user.type(field('Email'), 'joan@hlg.example');
  await user.click(role('Viewer'));
  await user.click(role('Dispatcher'));
  await user.click(submit());
  await waitFor(() => expect(address()).toBe('/admin/settings/users/id-joan'));
  expect(await screen.findByText('User joan created')).toBeInTheDocument();
  expect(sent()).toHaveLength(1);
  expect(sent()[0]?.variables).toEqual({
    input: {
      username: 'joan',
      displayName: 'Joan Pineda',
      email: 'joan@hlg.example',
      roles: ['dispatcher', 'viewer'],
    },
  });
});

it('checks every field with the texts of the rules, by the keyboard alone', async () => {
  const { user } = await open();
  await user.click(field('Email'));
  await user.keyboard('joan{Enter}');
  const title = await screen.findByText('Something went wrong');
  const summary = within(title.closest<HTMLElement>('[role=alert]') ?? document.body);
  expect(summary.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'Username is required',
    'Email is not formatted correctly',
    'Choose at least one role',
  ]);
  expect(summary.getByText('Errors prevented this form from being saved')).toBeInTheDocument();
  expect(field('Username')).toHaveFocus();
  expect(field('Username')).toHaveAccessibleDescription(/^Username is required/);
  expect(field('Email')).toHaveAccessibleDescription(/^Email is not formatted correctly/);
  expect(screen.getByRole('group', { name: 'Roles' })).toHaveAccessibleDescription(
    'Choose at least one role',
  );
  await expectAccessible();
  await user.click(field('Username'));
  await user.paste('x'.repeat(65));
  expect(await screen.findAllByText('Username is too long')).toHaveLength(2);
  expect(sent()).toEqual([]);
});

it('focuses the roles when only they are missing', async () => {
  const { user } = await open();
  await user.type(field('Username'), 'joan');
  await user.type(field('Email'), 'joan@hlg.example{Enter}');
  await waitFor(() => expect(role('Administrator')).toHaveFocus());
});

it("puts the server's messages above the form and under their fields", async () => {
  const { user, address } = await open();
  answer = {
    errors: [
      {
        message: 'Bad input',
        extensions: {
          code: 'BAD_USER_INPUT',
          properties: { messages: { username: ['Username `joan` already in use'] } },
        },
      },
    ],
  };
  await user.type(field('Username'), 'joan');
  await user.type(field('Email'), 'joan@hlg.example');
  await user.click(role('Viewer'));
  await user.click(submit());
  await waitFor(() =>
    expect(field('Username')).toHaveAccessibleDescription(/^Username `joan` already in use/),
  );
  expect(screen.getByText('Errors prevented this form from being saved')).toBeInTheDocument();
  expect(address()).toBe('/admin/settings/users/create-new-user');
});

it('asks before what was typed is lost', async () => {
  const { user, address } = await open();
  await user.type(field('Username'), 'joan');
  await user.click(screen.getByRole('link', { name: 'Cancel' }));
  const question = await screen.findByRole('alertdialog', { name: 'Leave without saving?' });
  await user.click(within(question).getByRole('button', { name: 'Stay' }));
  expect(address()).toBe('/admin/settings/users/create-new-user');
  expect(field('Username')).toHaveValue('joan');
  await user.click(screen.getByRole('link', { name: 'Cancel' }));
  await user.click(await screen.findByRole('button', { name: 'Leave' }));
  await waitFor(() => expect(address()).toBe('/admin/settings/users'));
});

it('leaves without a question when nothing was typed', async () => {
  const { user, address } = await open();
  await user.click(screen.getByRole('link', { name: 'Cancel' }));
  await waitFor(() => expect(address()).toBe('/admin/settings/users'));
});
