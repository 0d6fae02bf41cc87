import { lazy, type ReactNode, Suspense } from 'react';
import { MissingPage } from '@/routing/missing-page';
import { LoadingView } from './loading-view';

const fetchShell = () => import('@/shell/shell');

const Shell = lazy(async () => {
  try {
    return { default: (await fetchShell()).Shell };
  } catch (cause) {
    return { default: () => <MissingPage cause={cause} /> };
  }
});

/** Asks for the shell beside the page's own code, so that neither waits for the other. */
export async function loadPrivateFrame(): Promise<void> {
  await fetchShell();
}

/** The shell around the pages behind sign-in. The ones before it, which everybody opens first, do without. */
export function PrivateFrame({ children }: { children: ReactNode }) {
  return (
    <Suspense fallback={<LoadingView />}>
      <Shell>{children}</Shell>
    </Suspense>
  );
}
