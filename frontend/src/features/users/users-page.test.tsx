import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { declarations } from '@/app/declarations';
import { listOf, resetLink, userAccount, versionConflict } from '@/test/accounts';
import { expectAccessible } from '@/test/axe';
import { type Answer, type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
// Loaded up front, so that no test waits for a lazy import.
import './users-page';

const admin = { ...rosa, id: 'id-rosa' };
const accounts = [
  userAccount('lara', {
    displayName: 'Lara Mendoza',
    roles: ['viewer', 'dispatcher', 'admin'],
  }),
  userAccount('rey', { status: 'disabled', roles: [] }),
  userAccount('rosa', { roles: ['admin'], lastLoginAt: null }),
];
const total = (count: number) => ({ __typename: 'Count', total: count, exact: true });

let server: FakeServer;
let rows: object[];
let onStatus: () => Answer;
let failing: boolean;

beforeEach(() => {
  rows = accounts;
  failing = false;
  onStatus = () => ({
    data: { updateUserStatus: { __typename: 'User', id: 'id-lara', status: 'disabled', version: 4 } },
  });
  server = startFakeServer({
    user: admin,
    operations: {
      UsersPage: () => {
        if (failing) throw new TypeError('lost');
        return listOf('users', rows);
      },
      UsersByStatus: () => ({
        data: { all: total(12), active: total(9), invited: total(2), disabled: total(1) },
      }),
      UserVersion: () => ({
        data: {
          current: {
              __typename: 'User',
            version: 7,
            updatedAt: '2026-11-20T07:01:00Z',
            updatedBy: 'dennis',
          },
        },
      }),
      UpdateUserStatus: () => onStatus(),
      CreateResetLink: () => resetLink(),
    },
  });
});

async function open(address = '/admin/settings/users') {
  const view = renderRoutes(declarations, address);
  await screen.findByRole('heading', { level: 1, name: 'Users' });
  return view;
}

const sent = (name: string) => server.calls.filter((call) => call.name === name);
const page = () => sent('UsersPage').at(-1)?.variables.page as Record<string, unknown>;
const row = (name: RegExp) => screen.findByRole('row', { name });

async function openMenu(user: Awaited<ReturnType<typeof open>>['user'], username: string) {
  await user.click(await screen.findByRole('button', { name: `Actions for ${username}` }));
  return within(await screen.findByRole('menu'));
}

describe('the list of users', () => {
  it('shows name, address, roles, status and last login', async () => {
    await open();
    const lara = await row(/lara/);
    expect(within(lara).getByRole('link', { name: 'lara' })).toHaveAttribute(
      'href',
      '/admin/settings/users/id-lara',
    );
    expect(lara).toHaveTextContent('Lara Mendoza');
    expect(lara).toHaveTextContent('lara@hlg.example');
    // The most privileged role is visible, the others are available to screen readers.
    expect(lara).toHaveTextContent('Administrator+2Dispatcher, Viewer');
    expect(lara).toHaveTextContent('Active');
    expect(lara).toHaveTextContent('Nov 20, 2026 1:15 PM');
    expect(await row(/rey/)).toHaveTextContent('No roleDisabled');
    expect(await row(/rosa/)).toHaveTextContent('Never');
    expect(page()).toEqual({
      where: [],
      sort: [{ key: 'username', direction: 'asc' }],
      limit: 25,
      offset: 0,
    });
    await expectAccessible();
  });

  it('counts the users of each status, and narrows to one', async () => {
    const { user } = await open();
    const views = within(screen.getByRole('navigation', { name: 'Views' }));
    await views.findByRole('link', { name: /^All\s*12$/ });
    expect(sent('UsersByStatus')[0]?.variables.invited).toEqual([
      { key: 'status', operator: 'equals', values: ['invited'] },
    ]);
    await user.click(views.getByRole('link', { name: /^Invited\s*2$/ }));
    await waitFor(() =>
      expect(page().where).toEqual([{ key: 'status', operator: 'equals', values: ['invited'] }]),
    );
  });

  it('filters by role', async () => {
    const { user } = await open();
    await user.click(screen.getByRole('button', { name: 'Filter' }));
    await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Role' }));
    await user.click(screen.getByRole('checkbox', { name: 'Transport planner' }));
    await user.click(screen.getByRole('button', { name: 'Apply' }));
    await waitFor(() =>
      expect(page().where).toEqual([
        { key: 'role', operator: 'equals', values: ['transport_planner'] },
      ]),
    );
  });

  it('leads to a new user and to the audit log', async () => {
    await open();
    expect(screen.getByRole('link', { name: 'Create new user' })).toHaveAttribute(
      'href',
      '/admin/settings/users/create-new-user',
    );
    expect(screen.getByRole('link', { name: 'Audit log' })).toHaveAttribute(
      'href',
      '/admin/settings/audit',
    );
  });

  it('stands beside the menu of the settings', async () => {
    await open();
    const menu = within(screen.getByRole('navigation', { name: 'Settings' }));
    expect(menu.getByRole('heading', { name: 'Permissions' })).toBeInTheDocument();
    expect(menu.getAllByRole('link').map(({ textContent }) => textContent)).toEqual([
      'Users',
      'System',
      'Report',
      'Dead Letters',
      'Edit Logo',
    ]);
    expect(menu.getByRole('link', { name: 'Users' })).toHaveAttribute('aria-current', 'page');
  });

  it('says that the filters match nothing, and what failed', async () => {
    rows = [];
    const { unmount } = await open(
      `/admin/settings/users?filters=${btoa(
        JSON.stringify([
          { key: 'email', operator: 'contains', values: [{ label: 'x', value: 'x' }] },
        ]),
      )}`,
    );
    await screen.findByRole('heading', { name: 'No users match' });
    unmount();
    failing = true;
    const { user } = await open();
    await screen.findByRole('heading', { name: 'Something went wrong' });
    failing = false;
    rows = accounts;
    await user.click(screen.getByRole('button', { name: 'Retry' }));
    await row(/lara/);
  });

  it('shows cards on a narrow screen, with the same menu', async () => {
    vi.spyOn(window, 'matchMedia').mockImplementation(
      (query) =>
        ({
          matches: query.includes('max-width'),
          addEventListener: () => undefined,
          removeEventListener: () => undefined,
        }) as unknown as MediaQueryList,
    );
    const { user, address } = await open();
    const cards = await screen.findByRole('list', { name: 'Users' });
    const [first] = await within(cards).findAllByRole('listitem');
    expect(first).toHaveTextContent('laraActiveLara Mendoza');
    // The touch target of a menu extends beyond its card. It must not count as a column to scroll to.
    vi.spyOn(Element.prototype, 'scrollWidth', 'get').mockReturnValue(400);
    const region = screen.getByRole('region', { name: 'Users' });
    fireEvent.scroll(region);
    expect(region).not.toHaveAttribute('data-more');
    await expectAccessible();
    await user.click(screen.getByRole('button', { name: 'Actions for lara' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Edit roles' }));
    await waitFor(() => expect(address()).toBe('/admin/settings/users-role/id-lara'));
  });
});

describe('the menu of a row', () => {
  it('leads to the page and to the roles of the user', async () => {
    const { user, address } = await open();
    const menu = await openMenu(user, 'lara');
    await expectAccessible();
    await user.click(menu.getByRole('menuitem', { name: 'View' }));
    await waitFor(() => expect(address()).toBe('/admin/settings/users/id-lara'));
  });

  it('disables after a question, and says so', async () => {
    const { user, address } = await open();
    const menu = await openMenu(user, 'lara');
    await user.click(menu.getByRole('menuitem', { name: 'Disable' }));
    const question = await screen.findByRole('alertdialog', { name: 'Disable lara?' });
    expect(within(question).getByRole('button', { name: 'Cancel' })).toHaveFocus();
    await expectAccessible(question);
    await user.click(within(question).getByRole('button', { name: 'Disable' }));
    expect(await screen.findByText('lara disabled')).toBeInTheDocument();
    expect(sent('UpdateUserStatus')).toHaveLength(1);
    expect(sent('UpdateUserStatus')[0]?.variables).toEqual({
      input: { id: 'id-lara', status: 'disabled', version: 3 },
    });
    expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument();
    // The menu is outside of the row, so clicking it must not open the row.
    expect(address()).toBe('/admin/settings/users');
    await waitFor(() => expect(sent('UsersPage').length).toBeGreaterThan(1));
  });

  it('enables a disabled user, and has no link for it', async () => {
    const { user } = await open();
    const menu = await openMenu(user, 'rey');
    expect(menu.getByRole('menuitem', { name: 'Create reset link' })).toHaveAttribute(
      'aria-disabled',
      'true',
    );
    await user.click(menu.getByRole('menuitem', { name: 'Enable' }));
    const question = await screen.findByRole('alertdialog', { name: 'Enable rey?' });
    await user.click(within(question).getByRole('button', { name: 'Enable' }));
    await waitFor(() =>
      expect(sent('UpdateUserStatus')[0]?.variables).toEqual({
        input: { id: 'id-rey', status: 'active', version: 3 },
      }),
    );
  });

  it('does not disable oneself', async () => {
    const { user } = await open();
    const menu = await openMenu(user, 'rosa');
    expect(menu.getByRole('menuitem', { name: 'Disable (unavailable for your own account)' })).toHaveAttribute(
      'aria-disabled',
      'true',
    );
  });

  it('tells who was faster, and means the account as it is now the second time', async () => {
    onStatus = () => versionConflict;
    const { user } = await open();
    const menu = await openMenu(user, 'lara');
    await user.click(menu.getByRole('menuitem', { name: 'Disable' }));
    const question = within(await screen.findByRole('alertdialog'));
    await user.click(question.getByRole('button', { name: 'Disable' }));
    expect(await question.findByRole('alert')).toHaveTextContent(
      'dennis changed this account on Nov 20, 2026 3:01 PM',
    );
    await user.click(question.getByRole('button', { name: 'Disable' }));
    await waitFor(() => expect(sent('UpdateUserStatus')).toHaveLength(2));
    expect(sent('UpdateUserStatus')[1]?.variables.input).toMatchObject({ version: 7 });
  });

  it('keeps the question open with what the server refused', async () => {
    onStatus = () => ({
      errors: [
        {
          message: 'This is the last admin.',
          extensions: { code: 'FAILED_PRECONDITION', reason: 'LAST_ADMIN' },
        },
      ],
    });
    server = startFakeServer({
      user: admin,
      operations: {
        UsersPage: () => listOf('users', rows),
        UpdateUserStatus: () => onStatus(),
        UserVersion: () => ({
          data: {
            current: {
              __typename: 'User',
              version: 3,
              updatedAt: '2026-10-30T09:12:00Z',
              updatedBy: 'dennis',
            },
          },
        }),
      },
    });
    const { user } = await open();
    const menu = await openMenu(user, 'lara');
    await user.click(menu.getByRole('menuitem', { name: 'Disable' }));
    const question = within(await screen.findByRole('alertdialog'));
    await user.click(question.getByRole('button', { name: 'Disable' }));
    expect(await question.findByRole('alert')).toHaveTextContent('This is the last admin.');
    await user.click(question.getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument());
    expect(screen.getByRole('button', { name: 'Actions for lara' })).toHaveFocus();
  });

  it('makes a reset link after a question', async () => {
    const { user } = await open();
    const menu = await openMenu(user, 'lara');
    await user.click(menu.getByRole('menuitem', { name: 'Create reset link' }));
    const question = await screen.findByRole('alertdialog', {
      name: 'Create a reset link for lara?',
    });
    expect(question).toHaveAccessibleDescription(/replaces any earlier one/);
    await user.click(within(question).getByRole('button', { name: 'Create link' }));
    expect(await screen.findByRole('textbox', { name: 'Reset link' })).toHaveValue(
      'http://localhost:3000/reset-password?resetToken=t0ken',
    );
    expect(sent('CreateResetLink')[0]?.variables).toEqual({ input: { userId: 'id-lara' } });
  });
});
