import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { useMutation } from 'urql';
import { beforeEach, describe, expect, it } from 'vitest';
import { normalizeError } from '@/data/errors';
import { graphql } from '@/data/graphql';
import { QueryState } from '@/data/query-state';
import { useRecord } from '@/data/use-record';
import { useAnalytics } from '@/domain/analytics/use-analytics';
import { authRoutes } from '@/features/auth-pages/routes';
import { FormSummary } from '@/form/form';
import type { RouteEntry } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';
import { analyticsJson, analyticsPaths } from '@/test/analytics';
import { expectAccessible } from '@/test/axe';
import { type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { FakeSocket } from '@/test/fake-socket';
import { renderRoutes } from '@/test/render';
import { toast } from '@/ui/toast';
import { Shell } from './shell';
// Loaded up front, so that no test waits for a lazy import.
import './palette-dialog';
import './session-dialog';

const page = () => Promise.resolve({ default: () => <input aria-label="Note" /> });
const versionQuery = graphql(`
  query Version {
    redwood {
      version
    }
  }
`);

const countQuery = [{ measures: ['Delivery.count'] }];

/** A page that reads once, and doesn't follow changes. */
function OncePage() {
  const count = useAnalytics(countQuery);
  const { value, error, retry } = useRecord({
    document: versionQuery,
    variables: {},
    typenames: ['Redwood'],
    read: ({ redwood }) => redwood?.version,
  });
  return (
    <>
      <QueryState value={value} error={error} onRetry={retry}>
        {(version) => <p>{version}</p>}
      </QueryState>
      <QueryState value={count.results} error={count.error} onRetry={count.retry}>
        {([first]) => <p>{first?.data[0]?.['Delivery.count']} deliveries</p>}
      </QueryState>
    </>
  );
}

const saveMutation = graphql(`
  mutation Save($input: UpdateCustomerInput!) {
    updateCustomer(input: $input) {
      customerName
    }
  }
`);

/** A page that saves at a click. */
function SavePage() {
  const [{ error }, save] = useMutation(saveMutation);
  return (
    <>
      <FormSummary failure={error && normalizeError(error)} />
      <button type="button" onClick={() => void save({ input: { customerName: 'Acme', version: 1 } })}>
        Save
      </button>
    </>
  );
}

const declarations: RouteEntry[] = [
  ...authRoutes,
  {
    unauthenticated: 'login',
    wrap: Shell,
    routes: [
      { name: 'deliveries', path: routePaths.deliveries, page },
      {
        name: 'customers',
        path: routePaths.customers,
        page: () => Promise.resolve({ default: OncePage }),
      },
      { name: 'sources', path: routePaths.sources, page: () => Promise.resolve({ default: SavePage }) },
    ],
  },
];

let server: FakeServer;

beforeEach(() => {
  server = startFakeServer({
    user: rosa,
    login: ({ password }) => (password === 'right' ? { user: rosa } : { error: 'Incorrect password' }),
    operations: {
      SignInOptions: () => ({ data: { adminNeeded: { needed: false }, signUpPolicy: 'off' } }),
    },
  });
});

async function expire() {
  const view = renderRoutes(declarations, '/deliveries?limit=50');
  const note = await screen.findByRole('textbox', { name: 'Note' });
  await view.user.type(note, 'Call first');
  server.signOut();
  await act(() => {
    view.auth.expire();
    return Promise.resolve();
  });
  const dialog = await screen.findByRole('alertdialog', { name: 'You were signed out' });
  return { ...view, note, dialog: within(dialog) };
}

it('asks for the password over the page, which keeps what was typed', async () => {
  const { user, address, note, dialog } = await expire();
  expect(dialog.getByText('rosa')).toBeInTheDocument();
  const password = dialog.getByLabelText('Password');
  expect(password).toHaveFocus();
  await expectAccessible();
  // Others may use the computer.
  expect(note).not.toBeVisible();
  await user.type(password, 'right{Enter}');
  await waitFor(() => expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument());
  expect(address()).toBe('/deliveries?limit=50');
  expect(note).toBeVisible();
  expect(note).toHaveValue('Call first');
});

it('does not open the palette, which would be unseen', async () => {
  const { user, dialog } = await expire();
  await user.keyboard('{Control>}k{/Control}');
  await user.keyboard('x');
  expect(dialog.getByLabelText('Password')).toHaveValue('x');
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});

it('shows no message of the user who left to the next one', async () => {
  const { user, dialog } = await expire();
  act(() => void toast.error('Acme is on hold'));
  expect(screen.getByText('Acme is on hold')).not.toBeVisible();
  await user.click(dialog.getByRole('button', { name: 'Sign in as another user' }));
  await screen.findByRole('heading', { name: 'Sign in' });
  await waitFor(() => expect(screen.queryByText('Acme is on hold')).not.toBeInTheDocument(), { timeout: 1000 });
});

it('says why the password was refused, and stays', async () => {
  const { user, note, dialog } = await expire();
  await user.type(dialog.getByLabelText('Password'), 'wrong{Enter}');
  expect(await dialog.findByRole('alert')).toHaveTextContent('Incorrect password');
  await user.keyboard('{Escape}');
  expect(dialog.getByLabelText('Password')).toBeInTheDocument();
  expect(note).toHaveValue('Call first');
});

it('lets someone else log in, who comes back to this page', async () => {
  const { user, address, dialog } = await expire();
  await user.click(dialog.getByRole('button', { name: 'Sign in as another user' }));
  await screen.findByRole('heading', { name: 'Sign in' });
  expect(address()).toBe('/login?redirectTo=/deliveries%3Flimit%3D50');
});

const refusal = { message: "You don't have permission to do that.", extensions: { code: 'UNAUTHENTICATED' } };

it('reads again what was refused because the session had ended unnoticed', async () => {
  let isRefused = false;
  const { paths } = analyticsPaths(() =>
    isRefused ? analyticsJson({ error: 'Sign in first' }, 403) : [{ 'Delivery.count': '12' }],
  );
  server = startFakeServer({
    user: rosa,
    login: () => {
      isRefused = false;
      return { user: rosa };
    },
    operations: {
      Version: () =>
        isRefused ? { data: null, errors: [refusal] } : { data: { redwood: { version: 'v9.9.9' } } },
    },
    paths,
  });
  const { user, auth, router } = renderRoutes(declarations, '/deliveries');
  await screen.findByRole('textbox', { name: 'Note' });
  server.signOut();
  auth.client.forgetToken();
  isRefused = true;
  await act(() => router.navigate('/customers'));
  const dialog = within(await screen.findByRole('alertdialog', { name: 'You were signed out' }));
  await waitFor(() => expect(server.calls.filter(({ name }) => name === 'Version')).toHaveLength(2));
  await act(() => Promise.resolve());
  expect(screen.getAllByText('Loading...')).toHaveLength(2);
  await user.type(dialog.getByLabelText('Password'), 'right{Enter}');
  expect(await screen.findByText('v9.9.9')).toBeInTheDocument();
  expect(await screen.findByText('12 deliveries')).toBeInTheDocument();
  expect(shown()).not.toBeInTheDocument();
});

it('says, after signing in again, why nothing was saved', async () => {
  server = startFakeServer({
    user: rosa,
    login: () => ({ user: rosa }),
    operations: { Save: () => ({ data: null, errors: [refusal] }) },
  });
  const { user, auth } = renderRoutes(declarations, '/sources');
  const save = await screen.findByRole('button', { name: 'Save' });
  server.signOut();
  auth.client.forgetToken();
  await user.click(save);
  const dialog = within(await screen.findByRole('alertdialog', { name: 'You were signed out' }));
  await user.type(dialog.getByLabelText('Password'), 'right{Enter}');
  await waitFor(() => expect(shown()).not.toBeInTheDocument());
  expect(screen.getByText('You were signed out before this was done. Sign in, then try again.')).toBeInTheDocument();
  expect(screen.queryByText(refusal.message)).not.toBeInTheDocument();
});

const shown = () => screen.queryByRole('alertdialog');
const tokens = () => server.calls.filter(({ name }) => name === 'GET getToken').length;
const users = () => server.calls.filter(({ name }) => name.includes('CURRENT_USER')).length;

describe('another tab', () => {
  it.each([
    ['the window gets the focus', () => fireEvent.focus(window)],
    ['the tab is shown', () => fireEvent(document, new Event('visibilitychange'))],
  ])('that signed in again ends the question when %s', async (_, comeBack) => {
    const { note, address } = await expire();
    server.signIn(rosa);
    comeBack();
    await waitFor(() => expect(shown()).not.toBeInTheDocument());
    expect(note).toBeInTheDocument();
    expect(note).toHaveValue('Call first');
    expect(address()).toBe('/deliveries?limit=50');
    expect(server.calls.map(({ name }) => name)).not.toContain('POST login');
  });

  it('where somebody else signed in does not, and the page stays with its user', async () => {
    const { auth, dialog } = await expire();
    const before = users();
    server.signIn({ ...rosa, id: 'u2', username: 'benjie' });
    fireEvent.focus(window);
    await waitFor(() => expect(users()).toBe(before + 1));
    await act(() => auth.checkSession());
    expect(shown()).toBeInTheDocument();
    expect(dialog.getByText('rosa')).toBeInTheDocument();
    expect(await auth.getToken()).toBeNull();
  });

  it('that signs out ends the session here before the server does, and the sign-out is sent from here, too', async () => {
    const { auth } = renderRoutes(declarations, '/deliveries');
    const note = await screen.findByRole('textbox', { name: 'Note' });
    localStorage.setItem('waybill.signing-out', 'true');
    fireEvent(window, new StorageEvent('storage', { key: 'waybill.signing-out', newValue: 'true' }));
    await screen.findByRole('alertdialog', { name: 'You were signed out' });
    expect(note).not.toBeVisible();
    expect(await auth.checkSession()).toBe(false);
    expect(server.calls.map(({ name }) => name)).toContain('POST logout');
  });

  it('where nobody signed in changes nothing', async () => {
    await expire();
    const before = tokens();
    fireEvent.focus(window);
    await waitFor(() => expect(tokens()).toBe(before + 1));
    await act(() => Promise.resolve());
    expect(shown()).toBeInTheDocument();
  });
});

it('ends the session when a request would be sent as somebody else, who signed in in another tab', async () => {
  server = startFakeServer({
    user: rosa,
    token: ({ id }) => `e30.${btoa(JSON.stringify({ sub: id }))}.x`,
  });
  const { auth } = renderRoutes(declarations, '/deliveries');
  await screen.findByRole('textbox', { name: 'Note' });
  server.signIn({ ...rosa, id: 'u2', username: 'benjie' });
  // The token of the earlier session is cached for a moment.
  auth.client.forgetToken();
  expect(await act(() => auth.getToken())).toBeNull();
  const dialog = within(await screen.findByRole('alertdialog', { name: 'You were signed out' }));
  expect(dialog.getByText('rosa')).toBeInTheDocument();
});

describe('a connection that the server closes', () => {
  async function connect() {
    FakeSocket.install();
    const view = renderRoutes(declarations, '/deliveries');
    await screen.findByRole('textbox', { name: 'Note' });
    await waitFor(() => expect(FakeSocket.last().open('currentUserChanged')).toHaveLength(1));
    return view;
  }

  it('does not end the session when another tab has replaced it', async () => {
    await connect();
    act(() => FakeSocket.last().close(4401, 'Unauthorized'));
    await waitFor(() => expect(FakeSocket.all).toHaveLength(2));
    await waitFor(() => expect(FakeSocket.last().open('currentUserChanged')).toHaveLength(1));
    expect(shown()).not.toBeInTheDocument();
  });

  it.each([
    ['the session has ended', () => server.signOut()],
    ['somebody else has signed in', () => server.signIn({ ...rosa, id: 'u2', username: 'benjie' })],
  ])('asks for the password when %s', async (_, change) => {
    await connect();
    change();
    act(() => FakeSocket.last().close(4401, 'Unauthorized'));
    const dialog = within(await screen.findByRole('alertdialog', { name: 'You were signed out' }));
    expect(dialog.getByText('rosa')).toBeInTheDocument();
  });
});
