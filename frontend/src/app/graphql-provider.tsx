import { type ReactNode, use, useEffect, useMemo } from 'react';
import { Provider } from 'urql';
import { AuthContext } from '@/auth/auth-context';
import { useAuth } from '@/auth/use-auth';
import { createGraphqlClient } from '@/data/client';
import { liveOf } from '@/data/live';

/** One client for each signed-in user, so that nothing of one session is shown in the next. */
export function GraphqlProvider({ children }: { children: ReactNode }) {
  const store = use(AuthContext);
  const { currentUser, getToken } = useAuth();
  const userId = currentUser?.id;
  const client = useMemo(
    () =>
      createGraphqlClient({
        getToken,
        getSignInCount: store?.getSignInCount,
        onUnauthenticated: () => {
          if (userId !== undefined) store?.expire();
        },
      }),
    [userId, getToken, store],
  );
  // The connection of a session ends with it, not when it has been idle for a while.
  useEffect(() => () => liveOf(client).close(), [client]);
  return <Provider value={client}>{children}</Provider>;
}
