import { type ReactNode, use, useEffect, useMemo } from 'react';
import { ErrorBoundary } from 'react-error-boundary';
import type { DataRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { Provider } from 'urql';
import type { AuthStore } from '@/auth/auth-store';
import { AuthContext, AuthProvider, useAuth } from '@/auth/use-auth';
import { createGraphqlClient, resumeSession } from '@/data/client';
import { liveOf } from '@/data/live';
import { FatalPage } from '@/features/errors/failure-pages';
import { Toaster } from '@/ui/toast';

interface AppProps {
  auth: AuthStore;
  router: DataRouter;
}

export function App({ auth, router }: AppProps) {
  return (
    <ErrorBoundary FallbackComponent={FatalPage}>
      <AuthProvider store={auth}>
        <GraphqlProvider>
          <RouterProvider router={router} />
          <Toaster />
        </GraphqlProvider>
      </AuthProvider>
    </ErrorBoundary>
  );
}

/** One client per signed-in user, so that no data leaks between sessions. */
function GraphqlProvider({ children }: { children: ReactNode }) {
  const store = use(AuthContext);
  const { currentUser, getToken, isExpired } = useAuth();
  const userId = currentUser?.id;
  const client = useMemo(
    () =>
      createGraphqlClient({
        getToken,
        getSignInCount: store?.getSignInCount,
        isExpired: () => store?.getState().isExpired ?? false,
        confirmSession: store?.checkSession,
        onUnauthenticated: () => {
          if (userId !== undefined) store?.expire();
        },
      }),
    [userId, getToken, store],
  );
  useEffect(() => {
    if (!isExpired) return undefined;
    return () => resumeSession(client);
  }, [client, isExpired]);
  // Close the connection with its session instead of waiting until it is idle.
  useEffect(() => () => liveOf(client).close(), [client]);
  return <Provider value={client}>{children}</Provider>;
}
