import { act, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, it } from 'vitest';
import { AuthProvider, useAuth } from './use-auth';
import type { AuthClient } from './auth-client';
import { createAuthStore } from './auth-store';
import { DEFAULT_RULES } from './current-user';

const rosa = {
  id: 'u1',
  username: 'rosa',
  roles: 'admin',
  news: [],
        settings: DEFAULT_RULES,
  organization: { name: 'Habagat Logistics', timezone: 'Asia/Manila' },
};

const client: AuthClient = {
  type: 'custom',
  getToken: () => Promise.resolve('token'),
  forgetToken: () => undefined,
  login: () => Promise.resolve({}),
  logout: () => Promise.resolve(true),
  signup: () => Promise.resolve({}),
};

function open() {
  const store = createAuthStore(client, () => Promise.resolve(rosa));
  const wrapper = ({ children }: { children: ReactNode }) => (
    <AuthProvider store={store}>{children}</AuthProvider>
  );
  return renderHook(useAuth, { wrapper }).result;
}

it('is loading, then knows who is there and what they may do', async () => {
  const auth = open();
  expect(auth.current).toMatchObject({ loading: true, isAuthenticated: false, type: 'custom', client });
  expect(auth.current.hasRole('admin')).toBe(false);
  await act(() => auth.current.reauthenticate());
  expect(auth.current).toMatchObject({ loading: false, currentUser: rosa, userMetadata: 'token' });
  expect(auth.current.hasRole(['viewer', 'admin'])).toBe(true);
  expect(auth.current.hasRole('viewer')).toBe(false);
  await act(() => auth.current.logOut());
  expect(auth.current).toMatchObject({ isAuthenticated: false, currentUser: null });
});

it('says of what the client cannot do that it cannot', async () => {
  const { forgotPassword, resetPassword, validateResetToken } = open().current;
  const message = 'Auth client custom does not implement this function';
  await expect(forgotPassword('rosa')).rejects.toThrow(message);
  await expect(resetPassword({ resetToken: 't', password: 'x' })).rejects.toThrow(message);
  await expect(validateResetToken('t')).rejects.toThrow(message);
});
