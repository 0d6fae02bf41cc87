import type { ComponentType, ReactNode } from 'react';
import { useTimeZone } from '@/data/use-time-zone';
import { UnknownTimeZone } from '@/features/errors/failure-pages';
import { isTimeZone } from '@/lib/dates';

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
 * for a shell that failed to load. All these pages show times, so a browser that doesn't know their time zone shows none
 * of them.
 */
export function PrivateFrame({ children }: { children: ReactNode }) {
  const timeZone = useTimeZone();
  if (!isTimeZone(timeZone)) return <UnknownTimeZone timeZone={timeZone} />;
  return Shell ? <Shell>{children}</Shell> : children;
}
