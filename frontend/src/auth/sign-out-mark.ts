import { dropStored, readStored, writeStored } from '@/lib/stored-json';

const KEY = 'waybill.signing-out';

/**
 * Marks a sign-out that the server hasn't confirmed yet. All tabs share the mark as they share the session's cookie, and it
 * outlives a reload.
 */
export function createSignOutMark() {
  /** Set if storage is full or blocked. */
  let isOnlyHere = false;
  return {
    isSet: () => isOnlyHere || readStored(KEY, (value) => value === true, false),
    set() {
      isOnlyHere = !writeStored(KEY, true);
    },
    clear() {
      isOnlyHere = false;
      dropStored(KEY);
    },
  };
}

const PATIENCE_MS = 5000;

/**
 * Runs work that sets or deletes the session's cookie while no other tab does so. After a while it runs anyway, because the
 * other tab may be suspended; so it does where the browser has no locks, as on pages without TLS.
 */
export async function whileAlone<Result>(work: () => Promise<Result>): Promise<Result> {
  const { navigator } = globalThis as { navigator?: { locks?: LockManager } };
  const locks = navigator?.locks;
  if (!locks) return work();
  let begun: Promise<Result> | undefined;
  const begin = () => (begun ??= work());
  try {
    return await locks.request(KEY, { signal: AbortSignal.timeout(PATIENCE_MS) }, begin);
  } catch {
    // The wait ended without a lock, or the work has failed itself.
    return begin();
  }
}

/** Calls the listener when another tab begins to sign out. Returns a function that ends this. */
export function onSignOutElsewhere(listener: () => void): () => void {
  function onStorage({ key, newValue }: StorageEvent) {
    if (key === KEY && newValue !== null) listener();
  }
  window.addEventListener('storage', onStorage);
  return () => window.removeEventListener('storage', onStorage);
}
