import { useEffect, useState } from 'react';
import { type LogoInformation, logoAddress, parseLogo } from './logo-value';

/** The logo for pages before sign-in: undefined while nothing is known of it, null when there is none. */
export function usePublicLogo(): LogoInformation | null | undefined {
  const [logo, setLogo] = useState<LogoInformation | null>();
  useEffect(() => {
    const controller = new AbortController();
    fetchLogo(controller.signal).then(setLogo, () => {
      if (!controller.signal.aborted) setLogo(null);
    });
    return () => controller.abort();
  }, []);
  return logo;
}

async function fetchLogo(signal: AbortSignal): Promise<LogoInformation | null> {
  const response = await fetch('/logo', { signal });
  if (!response.ok) return null;
  const { logo } = (await response.json()) as { logo?: unknown };
  const found = parseLogo(JSON.stringify(logo ?? null));
  return logoAddress(found.url) === undefined ? null : found;
}
