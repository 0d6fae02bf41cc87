import { act } from '@testing-library/react';
import type { AuthStore } from '@/auth/auth-store';

/** Changes the organization's time zone while the app is open, as the server pushes it. */
export function setTimeZone(auth: AuthStore, timezone: string) {
  const { currentUser } = auth.getState();
  if (!currentUser) throw new Error('Nobody is signed in');
  act(() => auth.update({ ...currentUser, organization: { ...currentUser.organization, timezone } }));
}
