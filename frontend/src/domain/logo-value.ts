import * as v from 'valibot';

export const LOGO_SETTING_ID = 'customer-logo-information';

export const LOGO_BOUNDS = {
  size: { min: 1, max: 130 },
  gap: { min: 1, max: 30 },
  vertical: { min: -30, max: 30 },
} as const;

export type LogoMeasure = keyof typeof LOGO_BOUNDS;

/** Height of the logo box in pixels. */
export const LOGO_HEIGHT = 40;

export interface LogoInformation {
  /** URL of the picture; empty if there is none. */
  url: string;
  /** Pixels: maximum width of the picture, space below it, and vertical offset. */
  size: number;
  gap: number;
  vertical: number;
  /** Key of the uploaded object. */
  urlObject: string;
}

export type LogoMeasures = Pick<LogoInformation, LogoMeasure>;

export const LOGO_DEFAULTS: LogoInformation = {
  url: '',
  size: 130,
  gap: 8,
  vertical: 0,
  urlObject: '',
};

function measure(name: LogoMeasure) {
  const { min, max } = LOGO_BOUNDS[name];
  const schema = v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max));
  return v.optional(v.fallback(schema, LOGO_DEFAULTS[name]), LOGO_DEFAULTS[name]);
}

const text = v.optional(v.fallback(v.string(), ''), '');

const schema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    url: text,
    size: measure('size'),
    gap: measure('gap'),
    vertical: measure('vertical'),
    urlObject: text,
  }),
);

/** Parses the setting; invalid parts get their defaults. */
export function parseLogo(value: string | null | undefined): LogoInformation {
  const result = v.safeParse(schema, value);
  return result.success ? result.output : LOGO_DEFAULTS;
}

export function writeLogo({ url, size, gap, vertical, urlObject }: LogoInformation): string {
  return JSON.stringify({ url, size, gap, vertical, urlObject });
}

const OWN = /^(?:https?:\/\/[^/?#]+)?(\/logo\/[^?#]+)$/;

/**
 * Returns the URL from which to load a logo, on the host of the page. The product serves its logos itself, but its host
 * may have another name than in the saved URL. Returns undefined for any other URL, which is not loaded.
 */
export function logoAddress(url: string): string | undefined {
  return OWN.exec(url)?.[1];
}
