import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { authRoutes } from '@/features/auth-pages/routes';
import type { RouteEntry } from '@/routing/declarations';
import { Shell } from '@/shell/shell';
import { expectAccessible } from '@/test/axe';
import { type Answer, type FakeServerOptions, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
import { accountRoutes } from './routes';

const declarations: RouteEntry[] = [
  ...authRoutes,
  { unauthenticated: 'login', wrap: Shell, routes: accountRoutes },
];

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0';
const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1';

function session(id: string, userAgent: string, over = {}) {
  return {
    id,
    userAgent,
    address: `203.0.113.${id}`,
    createdAt: '2026-11-20T01:00:00Z',
    lastUsedAt: '2026-11-20T02:30:00Z',
    expiresAt: '2026-11-20T13:00:00Z',
    isCurrent: false,
    ...over,
  };
}

const here = session('1', firefox, { isCurrent: true });

interface Setting {
  user?: Record<string, unknown>;
  sessions?: ReturnType<typeof session>[];
  operations?: FakeServerOptions['operations'];
}

async function open({ user = rosa, sessions = [here], operations }: Setting = {}) {
  const open = [...sessions];
  const server = startFakeServer({
    user,
    operations: {
      MySessions: () => ({ data: { mySessions: open } }),
      EndSession: ({ input }) => {
        const { id } = input as { id: string };
        open.splice(
          open.findIndex((one) => one.id === id),
          1,
        );
        return { data: { endSession: { count: 1 } } };
      },
      EndOtherSessions: () => {
        const ended = open.filter(({ isCurrent }) => !isCurrent);
        open.splice(0, open.length, ...open.filter(({ isCurrent }) => isCurrent));
        return { data: { endOtherSessions: { count: ended.length } } };
      },
      ...operations,
    },
  });
  const view = renderRoutes(declarations, '/account');
  await screen.findByRole('heading', { level: 1, name: 'Account' });
  const sent = (name: string) =>
    server.calls.filter((call) => call.name === name).map(({ variables }) => variables);
  return { ...view, server, sent, open };
}

const field = (name: string) => screen.findByLabelText(name);
const sessionsPanel = () => screen.findByRole('region', { name: 'Sessions' });

describe('the facts', () => {
  it('are those of the own account', async () => {
    await open({
      user: { ...rosa, displayName: 'Rosa Ilagan', email: 'rosa@hlg.example' },
    });
    const facts = within(await screen.findByRole('region', { name: 'Your account' }));
    for (const text of ['rosa', 'Rosa Ilagan', 'rosa@hlg.example', 'Habagat Logistics', 'Administrator']) {
      expect(facts.getByText(text)).toBeInTheDocument();
    }
    expect(document.title).toBe('Account | Waybill');
    await screen.findByText('Firefox on Linux');
    await expectAccessible();
  });

  it('are there without a role, too', async () => {
    await open({ user: { ...rosa, roles: [], displayName: '' } });
    expect(await screen.findByText(/has no role yet/)).toBeInTheDocument();
    expect(screen.getAllByText('None')).toHaveLength(3);
    expect(within(screen.getByRole('navigation', { name: 'Primary' })).queryAllByRole('link')).toEqual(
      [],
    );
  });
});

it('asks for a sign-in first, and leads back', async () => {
  startFakeServer({
    operations: {
      SignInOptions: () => ({ data: { adminNeeded: { needed: false }, signUpPolicy: 'off' } }),
    },
  });
  const { address } = renderRoutes(declarations, '/account');
  await screen.findByRole('heading', { name: 'Sign in' });
  expect(address()).toBe('/login?redirectTo=/account');
});

describe('the password', () => {
  const changed: Answer = { data: { changeOwnPassword: { count: 2 } } };
  const bad = (messages: Record<string, string[]>): Answer => ({
    errors: [
      { message: 'Bad input', extensions: { code: 'BAD_USER_INPUT', properties: { messages } } },
    ],
  });

  async function fill(user: Awaited<ReturnType<typeof open>>['user']) {
    await user.type(await field('Current password'), 'old enough');
    await user.type(await field('New password'), 'long enough');
    await user.type(await field('Repeat new password'), 'long enough{Enter}');
  }

  it('is changed, and the list of sessions read anew', async () => {
    const { user, sent } = await open({ operations: { ChangeOwnPassword: () => changed } });
    expect(await field('Current password')).toHaveAttribute('autocomplete', 'current-password');
    expect(await field('New password')).toHaveAttribute('autocomplete', 'new-password');
    expect(await field('Repeat new password')).toHaveAttribute('autocomplete', 'new-password');
    await screen.findByText('Firefox on Linux');
    const before = sent('MySessions').length;
    await fill(user);
    expect(
      await screen.findByText('Password changed. 2 other sessions ended.'),
    ).toBeInTheDocument();
    expect(sent('ChangeOwnPassword')).toEqual([
      { input: { currentPassword: 'old enough', newPassword: 'long enough' } },
    ]);
    await waitFor(() => expect(sent('MySessions').length).toBeGreaterThan(before));
    expect(await field('Current password')).toHaveValue('');
    expect(await field('New password')).toHaveValue('');
  });

  it('is checked with the texts of the rules', async () => {
    const { user, sent } = await open();
    await user.click(await screen.findByRole('button', { name: 'Change password' }));
    for (const name of ['Current password', 'New password', 'Repeat new password']) {
      expect(await screen.findByText(`${name} is required`)).toBeInTheDocument();
    }
    expect(await field('Current password')).toHaveFocus();
    await user.type(await field('New password'), 'short');
    expect(await screen.findByText('New password is too short')).toBeInTheDocument();
    await user.type(await field('Repeat new password'), 'shorter');
    expect(
      await screen.findByText("The passwords don't match. Enter the same password in both fields."),
    ).toBeInTheDocument();
    expect(sent('ChangeOwnPassword')).toEqual([]);
    await expectAccessible();
  });

  it('that is wrong says so under its field', async () => {
    const { user } = await open({
      operations: {
        ChangeOwnPassword: () => bad({ currentPassword: ['Current password is wrong'] }),
      },
    });
    await fill(user);
    await waitFor(async () => expect(await field('Current password')).toHaveFocus());
    expect(await field('Current password')).toHaveAccessibleDescription('Current password is wrong');
    expect(screen.getByText('Errors prevented this form from being saved')).toBeInTheDocument();
    expect(await field('New password')).toHaveValue('long enough');
    await expectAccessible();
  });

  it('cannot be guessed at: the server says when to go on', async () => {
    const text = 'Too many attempts. Try again in 8 seconds.';
    const { user } = await open({
      operations: {
        ChangeOwnPassword: () => ({
          errors: [{ message: text, extensions: { code: 'RATE_LIMITED' } }],
        }),
      },
    });
    await fill(user);
    const note = (await screen.findByText(text)).closest('[role=alert]');
    expect(note).toHaveClass('text-warn');
    expect(note).toHaveFocus();
  });
});

describe('the sessions', () => {
  it('say with what, from where, since when, and which is this one', async () => {
    await open({ sessions: [session('2', iphone), here] });
    const items = await within(await sessionsPanel()).findAllByRole('listitem');
    expect(items.map((item) => item.textContent)).toEqual([
      expect.stringMatching(/^Firefox on Linux203\.0\.113\.1This browserLast used .*Signed in Nov 20, 2026 9:00 AM/),
      expect.stringMatching(/^Safari on iPhone203\.0\.113\.2Last used .*Signed in Nov 20, 2026 9:00 AM/),
    ]);
    const [own] = items;
    expect(within(own as HTMLElement).queryByRole('button')).not.toBeInTheDocument();
    await expectAccessible();
  });

  it('end one by one, after a question', async () => {
    const { user, sent } = await open({ sessions: [here, session('2', iphone), session('3', '')] });
    await user.click(
      await screen.findByRole('button', { name: 'End session: Safari on iPhone, 203.0.113.2' }),
    );
    const question = await screen.findByRole('alertdialog', { name: 'End this session?' });
    expect(question).toHaveTextContent('Safari on iPhone (203.0.113.2) will be signed out');
    await expectAccessible(question);
    await user.click(within(question).getByRole('button', { name: 'Cancel' }));
    expect(sent('EndSession')).toEqual([]);
    await user.click(screen.getByRole('button', { name: /Safari on iPhone/ }));
    await user.click(await screen.findByRole('button', { name: 'End session' }));
    await screen.findByText('1 session ended');
    await waitFor(() => expect(screen.queryByText('Safari on iPhone')).not.toBeInTheDocument());
    expect(sent('EndSession')).toEqual([{ input: { id: '2' } }]);
    expect(screen.getByText('Unknown browser')).toBeInTheDocument();
    await waitFor(() => expect(screen.getByRole('button', { name: /Unknown browser/ })).toHaveFocus());
  });

  it('end all but this one at once', async () => {
    const { user, sent } = await open({
      sessions: [session('2', iphone), here, session('3', 'curl/8.14.1')],
    });
    await user.click(await screen.findByRole('button', { name: 'End other sessions' }));
    const question = await screen.findByRole('alertdialog', { name: 'End all other sessions?' });
    await user.click(within(question).getByRole('button', { name: 'End 2 sessions' }));
    expect(await screen.findByText("You aren't signed in anywhere else.")).toBeInTheDocument();
    expect(sent('EndOtherSessions')).toEqual([{}]);
    expect(sent('EndSession')).toEqual([]);
    await screen.findByText('2 sessions ended');
    expect(screen.queryByRole('button', { name: 'End other sessions' })).not.toBeInTheDocument();
    expect(screen.getByText('Firefox on Linux')).toBeInTheDocument();
  });

  it('that are over already are as good as ended', async () => {
    const { user, open: left } = await open({
      sessions: [here, session('2', iphone)],
      operations: {
        EndSession: () => {
          left.splice(1);
          return { errors: [{ message: 'No such session', extensions: { code: 'NOT_FOUND' } }] };
        },
      },
    });
    await user.click(await screen.findByRole('button', { name: /^End session:/ }));
    await user.click(await screen.findByRole('button', { name: 'End session' }));
    expect(await screen.findByText("You aren't signed in anywhere else.")).toBeInTheDocument();
    expect(screen.queryByText('No such session')).not.toBeInTheDocument();
  });

  it('that cannot be ended keep the question open, with what went wrong', async () => {
    const { user } = await open({
      sessions: [here, session('2', iphone)],
      operations: { EndSession: () => ({ errors: [{ message: 'auth is not available' }] }) },
    });
    await user.click(await screen.findByRole('button', { name: /^End session:/ }));
    await user.click(await screen.findByRole('button', { name: 'End session' }));
    expect(await screen.findByText('auth is not available')).toBeInTheDocument();
    expect(screen.getByRole('alertdialog')).toBeInTheDocument();
  });

  it('that cannot be read can be asked for again', async () => {
    const answers: Answer[] = [
      { errors: [{ message: 'auth is not available' }] },
      { data: { mySessions: [here] } },
    ];
    const { user } = await open({
      operations: { MySessions: () => answers.shift() ?? { data: { mySessions: [here] } } },
    });
    expect(await screen.findByText('auth is not available')).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Retry' }));
    expect(await screen.findByText('Firefox on Linux')).toBeInTheDocument();
  });
});
