import { ErrorBoundary } from 'react-error-boundary';
import type { DataRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { AuthProvider } from '@/auth/auth-provider';
import type { AuthStore } from '@/auth/auth-store';
import { FatalPage } from '@/features/errors/components/fatal-page';
import { Toaster } from '@/ui/toaster';
import { GraphqlProvider } from './graphql-provider';

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
