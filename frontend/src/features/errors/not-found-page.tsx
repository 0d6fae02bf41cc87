import { Suspense } from 'react';
import { useAuth } from '@/auth/use-auth';
import { lazyPart } from '@/ui/lazy-part';
import { NotFound } from './failure-pages';

// The shell is loaded for signed-in users only.
const SignedInShell = lazyPart(
  async () => ({ default: (await import('@/shell/shell')).Shell }),
  () => undefined,
);

/** Keeps the shell for signed-in users, so that they can continue from an outdated link. */
export default function NotFoundPage() {
  const { isAuthenticated } = useAuth();
  if (isAuthenticated) {
    return (
      <Suspense>
        <SignedInShell>
          <NotFound />
        </SignedInShell>
      </Suspense>
    );
  }
  return (
    <main className="flex min-h-dvh flex-col">
      <NotFound />
    </main>
  );
}
