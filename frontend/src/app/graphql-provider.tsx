import { type ReactNode, use, useMemo } from 'react';
import { Provider } from 'urql';
import { AuthContext } from '@/auth/auth-context';
import { useAuth } from '@/auth/use-auth';
import { createGraphqlClient } from '@/data/client';

/** One client for each signed-in user, so that nothing of one session is shown in the next. */
export function GraphqlProvider({ children }: { children: ReactNode }) {
  const store = use(AuthContext);
  const { currentUser, getToken } = useAuth();
  const userId = currentUser?.id;
  const client = useMemo(
    () =>
      createGraphqlClient({
        getToken,
        onUnauthenticated: () => {
          if (userId !== undefined) store?.expire();
        },
      }),
    [userId, getToken, store],
  );
  return <Provider value={client}>{children}</Provider>;
}
