import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { declarations } from '@/app/declarations';
import { userAccount, versionConflict } from '@/test/accounts';
import { expectAccessible } from '@/test/axe';
import { type Answer, type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
// Loaded up front, so that no test waits for a lazy import.
import './edit-user-roles-page';

let server: FakeServer;
let account: Record<string, unknown>;
let answer: Answer;
let read: () => Answer | Promise<Answer>;

beforeEach(() => {
  read = () => ({ data: { user: account } });
  account = userAccount('lara', { roles: ['dispatcher'] });
  answer = { data: { updateUserRoles: { __typename: 'User', id: 'id-lara', version: 4 } } };
  server = startFakeServer({
    user: { ...rosa, id: 'id-rosa' },
    operations: {
      ViewUser: () => read(),
      UpdateUserRoles: () => answer,
      UserVersion: () => ({
        data: {
          current: {
              __typename: 'User',
            version: 5,
            updatedAt: '2026-11-20T07:01:00Z',
            updatedBy: 'dennis',
          },
        },
      }),
    },
  });
});

async function open(username = 'lara') {
  const view = renderRoutes(declarations, `/admin/settings/users-role/id-${username}`);
  await screen.findByRole('heading', { level: 2, name: username });
  return view;
}

const role = (name: string) => screen.getByRole('checkbox', { name });
const save = () => screen.getByRole('button', { name: 'Save' });
const sent = () => server.calls.filter(({ name }) => name === 'UpdateUserRoles');

it('shows the roles of the user, what they mean and what saving does', async () => {
  await open();
  expect(role('Dispatcher')).toBeChecked();
  expect(role('Viewer')).not.toBeChecked();
  expect(role('Viewer')).toHaveAccessibleDescription(
    /^viewer · Sees everything a dispatcher sees, but can't change it\./,
  );
  expect(screen.getByText(/lara is signed out everywhere/)).toBeInTheDocument();
  await expectAccessible();
});

it('saves only what was changed, and goes back to the user', async () => {
  const { user, address } = await open();
  expect(save()).toBeDisabled();
  await user.click(role('Viewer'));
  expect(save()).toBeEnabled();
  await user.click(role('Viewer'));
  expect(save()).toBeDisabled();
  await user.click(role('Transport planner'));
  await user.dblClick(save());
  await waitFor(() => expect(address()).toBe('/admin/settings/users/id-lara'));
  expect(await screen.findByText('Roles saved for lara')).toBeInTheDocument();
  expect(sent()).toHaveLength(1);
  expect(sent()[0]?.variables).toEqual({
    input: { id: 'id-lara', version: 3, roles: ['transport_planner', 'dispatcher'] },
  });
});

it('keeps the role admin of oneself, and says why', async () => {
  account = userAccount('rosa', { roles: ['admin'] });
  await open('rosa');
  expect(role('Administrator')).toBeChecked();
  expect(role('Administrator')).toBeDisabled();
  expect(role('Administrator')).toHaveAccessibleDescription(/You can't remove your own administrator role/);
  expect(screen.getByText(/when you save, you're signed out everywhere/)).toBeInTheDocument();
});

it('lets the role admin be taken from others', async () => {
  account = userAccount('lara', { roles: ['admin', 'viewer'] });
  const { user } = await open();
  await user.click(role('Administrator'));
  await user.click(save());
  await waitFor(() => expect(sent()[0]?.variables.input).toMatchObject({ roles: ['viewer'] }));
});

it('says what was refused, and keeps the choice', async () => {
  answer = {
    errors: [
      {
        message: 'Bad input',
        extensions: {
          code: 'BAD_USER_INPUT',
          properties: { messages: { roles: ['Roles must be among admin, viewer'] } },
        },
      },
    ],
  };
  const { user, address } = await open();
  await user.click(role('Viewer'));
  await user.click(save());
  expect(await screen.findByText('Roles must be among admin, viewer')).toBeInTheDocument();
  expect(screen.getByText('Errors prevented this form from being saved')).toBeInTheDocument();
  expect(role('Viewer')).toBeChecked();
  expect(address()).toBe('/admin/settings/users-role/id-lara');
});

it('tells who was faster, and starts again from the account as it is now', async () => {
  answer = versionConflict;
  const { user } = await open();
  await user.click(role('Viewer'));
  await user.click(save());
  await screen.findByText(/dennis changed this on Nov 20, 2026 3:01 PM/);
  account = userAccount('lara', { roles: ['transport_planner'], version: 5 });
  await user.click(screen.getByRole('button', { name: 'Reload' }));
  await waitFor(() => expect(role('Transport planner')).toBeChecked());
  expect(role('Viewer')).not.toBeChecked();
  expect(role('Dispatcher')).not.toBeChecked();
  expect(save()).toBeDisabled();
  expect(screen.queryByText(/dennis changed this/)).not.toBeInTheDocument();
});

it('asks before a changed choice is lost', async () => {
  const { user, address } = await open();
  await user.click(role('Viewer'));
  await user.click(screen.getByRole('link', { name: 'Cancel' }));
  await screen.findByRole('alertdialog', { name: 'Leave without saving?' });
  await user.click(screen.getByRole('button', { name: 'Leave' }));
  await waitFor(() => expect(address()).toBe('/admin/settings/users/id-lara'));
});

it('keeps the choice when reading the account again fails', async () => {
  // The account is in the cache, so the roles are shown before the response arrives.
  const { user } = renderRoutes(declarations, '/admin/settings/users/id-lara');
  const link = await screen.findByRole('link', { name: 'Edit roles' });
  let fail: ((answer: Answer) => void) | undefined;
  read = () => new Promise((resolve) => (fail = resolve));
  await user.click(link);
  await user.click(await screen.findByRole('checkbox', { name: 'Viewer' }));
  await waitFor(() => expect(fail).toBeDefined());
  fail?.({ data: { user: null }, errors: [{ message: 'Too busy', extensions: { code: 'UNAVAILABLE' } }] });
  expect(await screen.findByText(/^Couldn't refresh\./)).toBeInTheDocument();
  expect(role('Viewer')).toBeChecked();
  expect(save()).toBeEnabled();
});
