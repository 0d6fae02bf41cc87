import { use } from 'react';
import { AuthContext } from '@/auth/auth-context';
import { readCurrentUser } from '@/auth/current-user';
import { graphql } from './graphql';
import { useChanges } from './use-changes';

/** The current user as they are now. */
export const currentUserChangedSubscription = graphql(`
  subscription CurrentUserChanged {
    currentUserChanged
  }
`);

const NO_VARIABLES = {};

/** Keeps news, roles and name of who is signed in as they are, without a reload. */
export function useCurrentUserChanges(): void {
  const store = use(AuthContext);
  useChanges(currentUserChangedSubscription, NO_VARIABLES, (told) => {
    const user = readCurrentUser(told?.currentUserChanged);
    if (user) store?.update(user);
    else void store?.refresh();
  });
}
