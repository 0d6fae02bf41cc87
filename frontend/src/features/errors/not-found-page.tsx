import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { useAuth } from '@/auth/use-auth';
import { DocumentTitle } from '@/shell/current-record';
import { lazyPart } from '@/ui/lazy-part';
import { NotFound } from './failure-pages';

// The shell is loaded for signed-in users only.
const SignedInShell = lazyPart(
  async () => ({ default: (await import('@/shell/shell')).Shell }),
  () => undefined,
);

/** Keeps the shell for signed-in users, so that they can continue from an outdated link. */
export default function NotFoundPage() {
  const { t } = useTranslation('errors');
  const { isAuthenticated } = useAuth();
  const title = <DocumentTitle page={t('notFound.title')} />;
  if (isAuthenticated) {
    return (
      <Suspense>
        <SignedInShell>
          {title}
          <NotFound as="h1" />
        </SignedInShell>
      </Suspense>
    );
  }
  return (
    <main className="flex min-h-dvh flex-col">
      {title}
      <NotFound as="h1" />
    </main>
  );
}
