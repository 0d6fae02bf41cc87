import { expect, it, vi } from 'vitest';
import { fetchCurrentUser } from './current-user';

function over(body: unknown, init?: ResponseInit) {
  return vi.fn<typeof fetch>(() => Promise.resolve(new Response(JSON.stringify(body), init)));
}

function reply(currentUser: unknown) {
  return { data: { redwood: { currentUser } } };
}

it('asks with the named query and the token', async () => {
  const send = over(
    reply({
      id: 7,
      username: 'rosa',
      roles: ['admin'],
      news: ['Hello'],
      organization: { name: 'Habagat', timezone: 'Asia/Manila' },
    }),
  );
  expect(await fetchCurrentUser('secret', { fetch: send })).toMatchObject({
    id: '7',
    username: 'rosa',
    roles: ['admin'],
    news: ['Hello'],
    organization: { name: 'Habagat', timezone: 'Asia/Manila' },
  });
  expect(send).toHaveBeenCalledWith('/graphql', {
    method: 'POST',
    credentials: 'include',
    headers: {
      'content-type': 'application/json',
      'auth-provider': 'dbAuth',
      authorization: 'Bearer secret',
    },
    body: '{"query":"query __REDWOOD__AUTH_GET_CURRENT_USER { redwood { currentUser } }"}',
  });
});

it.each([reply(null), reply({ username: 7 })])(
  'takes %j for nobody',
  async (body) => {
    expect(await fetchCurrentUser('secret', { fetch: over(body) })).toBeNull();
  },
);

it('knows the name and the address of an account, and that it may have no role', async () => {
  const user = { id: 'u1', username: 'rosa', displayName: 'Rosa Ilagan', email: 'rosa@hlg.example' };
  expect(await fetchCurrentUser('secret', { fetch: over(reply(user)) })).toMatchObject({
    ...user,
    roles: [],
  });
});

it('takes an error for no answer about who is signed in', async () => {
  const message = 'Sign-in is not available right now. Try again in a moment.';
  const send = over({ ...reply(null), errors: [{ message, extensions: { code: 'UNAVAILABLE' } }] });
  await expect(fetchCurrentUser('secret', { fetch: send })).rejects.toThrow(message);
});

it('says what went wrong', async () => {
  const send = over({}, { status: 502, statusText: 'Bad Gateway' });
  await expect(fetchCurrentUser('secret', { fetch: send })).rejects.toThrow(
    'Could not fetch current user: Bad Gateway (502)',
  );
});
