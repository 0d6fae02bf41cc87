import type { ComponentType, ReactNode } from 'react';

let Shell: ComponentType<{ children: ReactNode }> | undefined;

/**
 * Fetches the shell, beside the code of the page that it is for: no page behind sign-in is shown
 * before both are there, so nothing has to be waited for while rendering.
 */
export async function loadPrivateFrame(): Promise<void> {
  ({ Shell } = await import('@/shell/shell'));
}

/**
 * The shell around the pages behind sign-in. The ones before it, which everybody opens first, do
 * without; so does the page that says the shell could not be fetched.
 */
export function PrivateFrame({ children }: { children: ReactNode }) {
  return Shell ? <Shell>{children}</Shell> : children;
}
