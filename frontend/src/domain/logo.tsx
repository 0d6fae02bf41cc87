import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { usePolling } from '@/data/use-polling';
import { PoweredBy, Wordmark } from '@/ui/brand';
import {
  LOGO_BOUNDS,
  LOGO_HEIGHT,
  logoAddress,
  type LogoInformation,
  type LogoMeasures,
  parseLogo,
} from './logo-value';

/** Returns the logo for pages before sign-in: undefined until loaded, null if there is none. */
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

interface LogoHeadProps {
  measures: LogoMeasures;
  /** URL of the picture. */
  picture: string | undefined;
  /** Name of the logo's owner. */
  name: string;
  /** Shown while there is no picture. */
  children?: ReactNode;
}

/**
 * The customer's logo with "Powered by". Always takes the maximum height, so that nothing shifts when the logo
 * loads.
 */
export function LogoHead({ measures, picture, name, children }: LogoHeadProps) {
  const { gap } = measures;
  return (
    <div style={{ height: LOGO_HEIGHT + LOGO_BOUNDS.gap.max + 16 }}>
      <div className="flex items-center" style={{ height: LOGO_HEIGHT }}>
        {picture === undefined && children}
        {picture !== undefined && <LogoPicture measures={measures} picture={picture} name={name} />}
      </div>
      <div style={{ marginTop: gap }}>
        <PoweredBy />
      </div>
    </div>
  );
}

/** The box has the maximum width of a picture. */
const WIDTH = LOGO_BOUNDS.size.max;

interface LogoPictureProps {
  measures: LogoMeasures;
  /** URL of the picture. */
  picture: string;
  /** Name of the logo's owner. */
  name: string;
}

/** How long after a failure the picture is loaded again. */
const RETRY_MS = 60_000;

/** The picture on its background. While it fails to load, Waybill's own logo is shown and it is tried again. */
export function LogoPicture({ measures, picture, name }: LogoPictureProps) {
  const { t } = useTranslation('common');
  const { size, vertical } = measures;
  const [broken, setBroken] = useState<string>();
  const [attempt, setAttempt] = useState(0);
  const isBroken = broken === picture;
  usePolling(() => setAttempt((count) => count + 1), isBroken ? RETRY_MS : undefined);
  return (
    <>
      {isBroken && <Wordmark name={t('appName')} />}
      <span
        data-logo-box
        hidden={isBroken}
        className="-ms-1.5 flex items-center rounded-control bg-logo-plate px-1.5"
        style={{ width: WIDTH + 12, height: LOGO_HEIGHT, transform: `translateY(${vertical}px)` }}
      >
        <img
          // Another element, because a browser does not load the same address again in this one.
          key={attempt}
          src={picture}
          alt={name}
          onLoad={() => setBroken(undefined)}
          onError={() => setBroken(picture)}
          className="object-contain object-left"
          style={{ width: size, height: (LOGO_HEIGHT * size) / WIDTH }}
        />
      </span>
    </>
  );
}
