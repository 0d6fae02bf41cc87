type Ask = () => Promise<boolean>;

const guards = new Set<Ask>();

/** Registers a question to ask before unsaved changes are dropped; returns a function that removes it. */
export function guardUnsaved(ask: Ask): () => void {
  guards.add(ask);
  return () => void guards.delete(ask);
}

/**
 * Asks whether to drop unsaved changes, if there are any. Call it before whatever replaces the page without a
 * navigation, which the router's blocker cannot see. Returns whether to go on.
 */
export async function confirmLeaving(): Promise<boolean> {
  // One question is enough: it is about the whole page.
  const [ask] = guards;
  return !ask || ask();
}
