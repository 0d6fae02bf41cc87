import { Suspense, use } from 'react';
import { AuthContext } from '@/auth/auth-context';
import { useAuth } from '@/auth/use-auth';
import { lazyPart } from '@/ui/lazy-part';

const SessionDialog = lazyPart(() => import('./session-dialog'), ({ onLeave }) => onLeave());

/** Asks for the password over the page when the session ends, so that what was typed there is not lost. */
export function SessionGuard() {
  const store = use(AuthContext);
  const { isExpired } = useAuth();
  if (!isExpired || !store) return null;
  return (
    <Suspense>
      <SessionDialog onResume={store.resume} onLeave={store.leave} />
    </Suspense>
  );
}
