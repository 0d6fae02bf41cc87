import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { declarations } from '@/app/declarations';
import { decodeFilters } from '@/list/filters-codec';
import { accountSession, resetLink, userAccount, versionConflict } from '@/test/accounts';
import { expectAccessible } from '@/test/axe';
import { type Answer, type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
// Loaded up front, so that no test waits for a lazy import.
import './view-user-page';

const admin = { ...rosa, id: 'id-rosa' };

let server: FakeServer;
let account: Record<string, unknown> | null;
let failing: boolean;
/** A response in place of the account. */
let failure: Answer | undefined;
let answers: Record<string, () => Answer | Promise<Answer>>;

beforeEach(() => {
  failing = false;
  failure = undefined;
  account = userAccount('lara', {
    displayName: 'Lara Mendoza',
    roles: ['dispatcher', 'transport_planner'],
    sessions: [
      accountSession('s1'),
      accountSession('s2', {
        userAgent: 'Mozilla/5.0 (Linux; Android 15) Chrome/130.0.0.0 Mobile Safari/537.36',
        address: '203.0.113.42',
      }),
    ],
  });
  const saved = () => ({ __typename: 'User', id: 'id-lara', version: 4 });
  answers = {
    UpdateUser: () => ({ data: { updateUser: saved() } }),
    UpdateUserStatus: () => ({ data: { updateUserStatus: { ...saved(), status: 'disabled' } } }),
    CreateResetLink: () => resetLink(),
    EndSession: () => ({ data: { endSession: { __typename: 'EndedSessions', count: 1 } } }),
    EndUserSessions: () => ({
      data: { endUserSessions: { __typename: 'EndedSessions', count: 2 } },
    }),
  };
  server = startFakeServer({
    user: admin,
    operations: {
      ViewUser: () => {
        if (failing) throw new TypeError('lost');
        return failure ?? { data: { user: account } };
      },
      UserVersion: () => ({
        data: {
          current: {
              __typename: 'User',
            version: 8,
            updatedAt: '2026-11-20T07:01:00Z',
            updatedBy: 'dennis',
          },
        },
      }),
      ...Object.fromEntries(
        Object.keys(answers).map((name) => [
          name,
          () => answers[name]?.() ?? { errors: [{ message: 'none' }] },
        ]),
      ),
    },
  });
});

async function open(username = 'lara') {
  const view = renderRoutes(declarations, `/admin/settings/users/id-${username}`);
  await screen.findByRole('heading', { level: 2, name: username });
  return view;
}

const sent = (name: string) => server.calls.filter((call) => call.name === name);
const fact = (label: string) => screen.getByText(label, { selector: 'dt' }).nextElementSibling;
const panel = (name: string) => within(screen.getByRole('region', { name }));
const save = () => screen.getByRole('button', { name: 'Save' });

describe('the page of a user', () => {
  it('shows its facts and what leads on', async () => {
    await open();
    expect(fact('Status')).toHaveTextContent('Active');
    expect(fact('Roles')).toHaveTextContent('Transport plannerDispatcher');
    expect(fact('Last sign-in')).toHaveTextContent('Nov 20, 2026 1:15 PM');
    expect(fact('Created')).toHaveTextContent('Mar 2, 2026 9:12 AMby rosa');
    expect(fact('Updated')).toHaveTextContent('Oct 30, 2026 5:12 PMby dennis');
    expect(screen.getByRole('link', { name: 'Edit roles' })).toHaveAttribute(
      'href',
      '/admin/settings/users-role/id-lara',
    );
    const audit = screen.getByRole('link', { name: 'Audit entries' }).getAttribute('href') ?? '';
    const { pathname, searchParams } = new URL(audit, 'http://x');
    expect(pathname).toBe('/admin/settings/audit');
    expect(decodeFilters(searchParams.get('filters')).filters).toEqual([
      { key: 'entityName', operator: 'equals', values: [{ label: 'lara', value: 'lara' }] },
    ]);
    await expectAccessible();
  });

  it('says that there is no such user', async () => {
    account = null;
    renderRoutes(declarations, '/admin/settings/users/id-nobody');
    await screen.findByRole('heading', { name: 'User not found' });
    expect(screen.getByRole('link', { name: 'Show users' })).toHaveAttribute(
      'href',
      '/admin/settings/users',
    );
    await expectAccessible();
  });

  it('says what failed and tries again', async () => {
    failing = true;
    const { user } = renderRoutes(declarations, '/admin/settings/users/id-lara');
    await screen.findByRole('heading', { name: 'Something went wrong' });
    failing = false;
    await user.click(screen.getByRole('button', { name: 'Retry' }));
    expect(await screen.findByRole('heading', { level: 2, name: 'lara' })).toBeInTheDocument();
  });

  it('keeps what it shows when reading it again fails', async () => {
    const { user } = await open();
    failing = true;
    await user.click(screen.getByRole('button', { name: /End session: Chrome on Windows/ }));
    await user.click(await screen.findByRole('button', { name: 'End session' }));
    expect(await screen.findByText(/Couldn't refresh\./)).toBeInTheDocument();
    expect(fact('Status')).toHaveTextContent('Active');
  });

  it('keeps edits when a refresh fails with null for the account, which does not mean that it is gone', async () => {
    const { user } = await open();
    await user.type(screen.getByLabelText(/^Display name/), ' II');
    failure = { data: { user: null }, errors: [{ message: 'Too busy', extensions: { code: 'UNAVAILABLE' } }] };
    await user.click(screen.getByRole('button', { name: /End session: Chrome on Windows/ }));
    await user.click(await screen.findByRole('button', { name: 'End session' }));
    const note = (await screen.findByText(/Couldn't refresh\./)).closest<HTMLElement>('[role=status]');
    expect(screen.getByLabelText(/^Display name/)).toHaveValue('Lara Mendoza II');
    failure = undefined;
    await user.click(within(note as HTMLElement).getByRole('button', { name: 'Retry' }));
    await waitFor(() => expect(screen.queryByText(/Couldn't refresh\./)).not.toBeInTheDocument());
    expect(screen.getByLabelText(/^Display name/)).toHaveValue('Lara Mendoza II');
  });
});

describe('the profile', () => {
  it('is saved once it was changed, on the version it was read in', async () => {
    const { user } = await open();
    expect(save()).toBeDisabled();
    const name = screen.getByLabelText(/^Display name/);
    await user.clear(name);
    await user.type(screen.getByLabelText('Email'), '.ph{Enter}');
    expect(await screen.findByText('Profile saved')).toBeInTheDocument();
    expect(sent('UpdateUser')).toHaveLength(1);
    expect(sent('UpdateUser')[0]?.variables).toEqual({
      input: { id: 'id-lara', version: 3, displayName: null, email: 'lara@hlg.example.ph' },
    });
    expect(save()).toBeDisabled();
    await user.type(name, 'Lara');
    await user.click(save());
    await waitFor(() => expect(sent('UpdateUser')).toHaveLength(2));
    expect(sent('UpdateUser')[1]?.variables.input).toMatchObject({ version: 4 });
  });

  it('keeps what is typed while it is being saved', async () => {
    let answer: () => void = () => undefined;
    const saved = answers.UpdateUser?.() as Answer;
    answers.UpdateUser = () => new Promise((resolve) => (answer = () => resolve(saved)));
    const { user } = await open();
    const name = screen.getByLabelText(/^Display name/);
    await user.type(name, ' II{Enter}');
    await screen.findByRole('button', { name: 'Saving...' });
    await user.type(name, 'I');
    answer();
    expect(await screen.findByText('Profile saved')).toBeInTheDocument();
    expect(name).toHaveValue('Lara Mendoza III');
    answers.UpdateUser = () => saved;
    await user.click(save());
    await waitFor(() => expect(sent('UpdateUser')).toHaveLength(2));
    expect(sent('UpdateUser')[1]?.variables.input).toMatchObject({ version: 4, displayName: 'Lara Mendoza III' });
  });

  it('checks the address, and takes the change back', async () => {
    const { user } = await open();
    const email = screen.getByLabelText('Email');
    await user.clear(email);
    await user.type(email, 'lara{Enter}');
    await waitFor(() =>
      expect(email).toHaveAccessibleDescription(/^Email is not formatted correctly/),
    );
    expect(screen.getByText('Errors prevented this form from being saved')).toBeInTheDocument();
    await expectAccessible();
    await user.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(email).toHaveValue('lara@hlg.example');
    expect(screen.queryByText('Something went wrong')).not.toBeInTheDocument();
    expect(sent('UpdateUser')).toEqual([]);
  });

  it('tells who was faster, keeps what was typed, and loads the account anew', async () => {
    answers.UpdateUser = () => versionConflict;
    const { user } = await open();
    const name = screen.getByLabelText(/^Display name/);
    await user.clear(name);
    await user.type(name, 'L. Mendoza{Enter}');
    const note = await screen.findByText(/dennis changed this on Nov 20, 2026 3:01 PM/);
    expect(note.closest('[role=alert]')).toHaveFocus();
    expect(name).toHaveValue('L. Mendoza');
    await expectAccessible();
    account = { ...account, displayName: 'Lara M. Mendoza', version: 8 };
    await user.click(screen.getByRole('button', { name: 'Reload' }));
    await waitFor(() => expect(name).toHaveValue('Lara M. Mendoza'));
    answers.UpdateUser = () => ({
      data: { updateUser: { __typename: 'User', id: 'id-lara', version: 9 } },
    });
    await user.type(name, '!{Enter}');
    await waitFor(() => expect(sent('UpdateUser')).toHaveLength(2));
    expect(sent('UpdateUser')[1]?.variables.input).toMatchObject({
      version: 8,
      displayName: 'Lara M. Mendoza!',
    });
  });

  it('does not build on what somebody else saved since the fields were filled', async () => {
    const { user } = await open();
    await user.type(screen.getByLabelText(/^Display name/), ' II');
    account = { ...account, email: 'new@hlg.example', version: 8 };
    // Ending a session refreshes the account below the form.
    await user.click(screen.getByRole('button', { name: /End session: Chrome on Windows/ }));
    await user.click(await screen.findByRole('button', { name: 'End session' }));
    await waitFor(() => expect(fact('Email')).toHaveTextContent('new@hlg.example'));
    expect(screen.getByLabelText('Email')).toHaveValue('lara@hlg.example');
    await user.click(save());
    await waitFor(() => expect(sent('UpdateUser')).toHaveLength(1));
    expect(sent('UpdateUser')[0]?.variables.input).toMatchObject({ version: 3 });
  });
});

describe('the reset link', () => {
  it('is shown in full, once, to be copied', async () => {
    const { user } = await open();
    const link = 'http://localhost:3000/reset-password?resetToken=t0ken';
    await user.click(screen.getByRole('button', { name: 'Create reset link' }));
    const box = await screen.findByRole('textbox', { name: 'Reset link' });
    expect(box).toHaveValue(link);
    expect(box).toHaveFocus();
    expect(box).toHaveAccessibleDescription(
      'Asks for a new password of 8 to 128 characters. Works once, until Nov 21, 2026 3:04 PM.',
    );
    expect(panel('Reset link').getByText(/It won't be shown again/)).toBeInTheDocument();
    expect(panel('Reset link').getByText(/replaces any earlier one/)).toBeInTheDocument();
    await expectAccessible();
    const write = vi.spyOn(navigator.clipboard, 'writeText');
    await user.click(screen.getByRole('button', { name: 'Copy' }));
    expect(write).toHaveBeenCalledWith(link);
    expect(await screen.findByText('Copied')).toBeInTheDocument();
    expect(sent('CreateResetLink')[0]?.variables).toEqual({ input: { userId: 'id-lara' } });
    await user.click(screen.getByRole('button', { name: 'Create another link' }));
    await waitFor(() => expect(sent('CreateResetLink')).toHaveLength(2));
  });

  it('calls the link of an invited user an invitation link', async () => {
    account = userAccount('lara', { status: 'invited' });
    await open();
    expect(panel('Invitation link').getByRole('button', { name: 'Create invitation link' })).toBeEnabled();
  });

  it('stays marked where the browser refuses to copy', async () => {
    const { user } = await open();
    await user.click(screen.getByRole('button', { name: 'Create reset link' }));
    const box = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Reset link' });
    vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('denied'));
    await user.click(screen.getByRole('button', { name: 'Copy' }));
    expect(await screen.findByText(/blocked copying/)).toBeInTheDocument();
    expect(box).toHaveFocus();
    expect(box.selectionEnd - box.selectionStart).toBe(box.value.length);
  });

  it('is no longer shown once the email address was changed, even if it is restored', async () => {
    const { user } = await open();
    await user.click(screen.getByRole('button', { name: 'Create reset link' }));
    await screen.findByRole('textbox', { name: 'Reset link' });
    const email = screen.getByLabelText('Email');
    expect(email).toHaveAccessibleDescription('Changing it ends an unused invitation or reset link.');
    account = { ...account, email: 'lara@hlg.example.ph', version: 4 };
    await user.type(email, '.ph{Enter}');
    expect(await screen.findByText(/^The link ended because the email address changed/)).toHaveTextContent('Create another one.');
    expect(screen.queryByRole('textbox', { name: 'Reset link' })).not.toBeInTheDocument();
    await expectAccessible();
    account = { ...account, email: 'lara@hlg.example', version: 5 };
    await user.clear(email);
    await user.type(email, 'lara@hlg.example{Enter}');
    await waitFor(() => expect(fact('Email')).toHaveTextContent(/example$/));
    expect(screen.queryByRole('textbox', { name: 'Reset link' })).not.toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Create reset link' }));
    expect(await screen.findByRole('textbox', { name: 'Reset link' })).toBeInTheDocument();
    expect(screen.queryByText(/^The link ended/)).not.toBeInTheDocument();
  });

  it('is no longer shown once the account was disabled', async () => {
    const { user } = await open();
    await user.click(screen.getByRole('button', { name: 'Create reset link' }));
    await screen.findByRole('textbox', { name: 'Reset link' });
    account = { ...account, status: 'disabled', version: 4, sessions: [] };
    await user.click(screen.getByRole('button', { name: 'Disable' }));
    const question = await screen.findByRole('alertdialog', { name: 'Disable lara?' });
    await user.click(within(question).getByRole('button', { name: 'Disable' }));
    expect(await screen.findByText(/^The link ended because the account was disabled/)).toBeInTheDocument();
    expect(screen.queryByRole('textbox', { name: 'Reset link' })).not.toBeInTheDocument();
  });

  it('of an invited user is no longer shown once a password was set', async () => {
    account = userAccount('lara', { status: 'invited', sessions: [accountSession('s1')] });
    const { user } = await open();
    await user.click(screen.getByRole('button', { name: 'Create invitation link' }));
    await screen.findByRole('textbox', { name: 'Reset link' });
    account = { ...account, status: 'active' };
    // Ending a session refreshes the account.
    await user.click(screen.getByRole('button', { name: /End session: Chrome on Windows/ }));
    await user.click(await screen.findByRole('button', { name: 'End session' }));
    expect(await screen.findByText('The link ended because a password was set.')).toBeInTheDocument();
    expect(screen.queryByRole('textbox', { name: 'Reset link' })).not.toBeInTheDocument();
  });

  it('is not shown when it was mailed', async () => {
    answers.CreateResetLink = () => resetLink({ path: null, mailedTo: 'lara@hlg.example' });
    const { user } = await open();
    await user.click(screen.getByRole('button', { name: 'Create reset link' }));
    expect(await screen.findByText('Emailed to lara@hlg.example')).toBeInTheDocument();
    expect(screen.queryByRole('textbox', { name: 'Reset link' })).not.toBeInTheDocument();
  });

  it('is shown when the mail server is away', async () => {
    answers.CreateResetLink = () => resetLink({ mailFailed: true });
    const { user } = await open();
    await user.click(screen.getByRole('button', { name: 'Create reset link' }));
    expect(await screen.findByRole('textbox', { name: 'Reset link' })).toBeInTheDocument();
    expect(
      screen.getByText(/^The link wasn't emailed: the mail server can't be reached, or/),
    ).toBeInTheDocument();
  });

  it('says what was refused', async () => {
    answers.CreateResetLink = () => ({
      errors: [{ message: 'Mail is down.', extensions: { code: 'UNAVAILABLE' } }],
    });
    const { user } = await open();
    await user.click(screen.getByRole('button', { name: 'Create reset link' }));
    expect(await screen.findByText('Mail is down.')).toBeInTheDocument();
  });

  it('is of no use to a disabled account', async () => {
    account = userAccount('lara', { status: 'disabled' });
    await open();
    expect(screen.getByRole('button', { name: 'Create reset link' })).toBeDisabled();
    expect(panel('Reset link').getByText(/Enable it first/)).toBeInTheDocument();
  });
});

describe('sessions', () => {
  it('are listed and ended one by one', async () => {
    const { user } = await open();
    const items = panel('Sessions').getAllByRole('listitem');
    expect(items[0]).toHaveTextContent('Chrome on Windows10.20.4.17');
    expect(items[1]).toHaveTextContent('Chrome on Android203.0.113.42');
    await user.click(
      screen.getByRole('button', { name: 'End session: Chrome on Android, 203.0.113.42' }),
    );
    const question = await screen.findByRole('alertdialog', { name: 'End this session?' });
    expect(question).toHaveAccessibleDescription(/lara will be signed out of Chrome on Android/);
    await expectAccessible(question);
    account = { ...account, sessions: [accountSession('s1')] };
    await user.click(within(question).getByRole('button', { name: 'End session' }));
    expect(await screen.findByText('1 session ended')).toBeInTheDocument();
    expect(sent('EndSession')[0]?.variables).toEqual({ input: { id: 's2' } });
    await waitFor(() => expect(panel('Sessions').getAllByRole('listitem')).toHaveLength(1));
  });

  it('are ended all at once', async () => {
    const { user } = await open();
    await user.click(screen.getByRole('button', { name: 'End all' }));
    account = { ...account, sessions: [] };
    await user.click(await screen.findByRole('button', { name: 'End all sessions' }));
    expect(await screen.findByText('2 sessions ended')).toBeInTheDocument();
    expect(sent('EndUserSessions')[0]?.variables).toEqual({ input: { userId: 'id-lara' } });
    expect(await screen.findByText('Not signed in anywhere.')).toBeInTheDocument();
  });

  it('of oneself are ended by logging out, or all of them knowingly', async () => {
    account = userAccount('rosa', { sessions: [accountSession('s1', { isCurrent: true })] });
    const { user } = await open('rosa');
    expect(screen.queryByRole('button', { name: /End the session/ })).not.toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'End all' }));
    expect(await screen.findByRole('alertdialog')).toHaveAccessibleDescription(
      /you'll be signed out everywhere immediately, including here/,
    );
  });
});

describe('access', () => {
  it('is taken away after a question', async () => {
    const { user } = await open();
    await user.click(screen.getByRole('button', { name: 'Disable' }));
    const question = await screen.findByRole('alertdialog', { name: 'Disable lara?' });
    account = { ...account, status: 'disabled', version: 4, sessions: [] };
    await user.click(within(question).getByRole('button', { name: 'Disable' }));
    expect(await screen.findByText('lara disabled')).toBeInTheDocument();
    expect(await screen.findByRole('button', { name: 'Enable' })).toBeInTheDocument();
    expect(fact('Status')).toHaveTextContent('Disabled');
  });

  it('of oneself stays, and the page says why', async () => {
    account = userAccount('rosa');
    await open('rosa');
    const disable = screen.getByRole('button', { name: 'Disable' });
    expect(disable).toBeDisabled();
    expect(disable).toHaveAccessibleDescription(
      "You can't disable your own account. Another administrator can.",
    );
  });
});
