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

/** Calls the listener when another tab begins to sign out. Returns a function that ends this. */
export function onSignOutElsewhere(listener: () => void): () => void {
  function onStorage({ key, newValue }: StorageEvent) {
    if (key === KEY && newValue !== null) listener();
  }
  window.addEventListener('storage', onStorage);
  return () => window.removeEventListener('storage', onStorage);
}
