import type { ComponentType, ReactNode } from 'react';

let Shell: ComponentType<{ children: ReactNode }> | undefined;

/**
 * Loads the shell in parallel with the page. Pages behind sign-in render only once both are loaded, so rendering never
 * suspends.
 */
export async function loadPrivateFrame(): Promise<void> {
  ({ Shell } = await import('@/shell/shell'));
}

/**
 * Renders the shell around pages behind sign-in. Pages before sign-in have no shell, and neither does the error page
 * for a shell that failed to load.
 */
export function PrivateFrame({ children }: { children: ReactNode }) {
  return Shell ? <Shell>{children}</Shell> : children;
}
