import * as v from 'valibot';

export const LOGO_SETTING_ID = 'customer-logo-information';

export const LOGO_BOUNDS = {
  size: { min: 1, max: 130 },
  gap: { min: 1, max: 30 },
  vertical: { min: -30, max: 30 },
} as const;

export type LogoMeasure = keyof typeof LOGO_BOUNDS;

/** Of the box that a logo stands in. */
export const LOGO_HEIGHT = 40;

export interface LogoInformation {
  /** Where the picture is shown from; empty without one. */
  url: string;
  /** Pixels: the picture's greatest width, what lies below it, how far it is moved down. */
  size: number;
  gap: number;
  vertical: number;
  /** Where the upload lies. */
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

/** Whatever the setting holds: what is no part of a logo counts as its default. */
export function parseLogo(value: string | null | undefined): LogoInformation {
  const result = v.safeParse(schema, value);
  return result.success ? result.output : LOGO_DEFAULTS;
}

export function writeLogo({ url, size, gap, vertical, urlObject }: LogoInformation): string {
  return JSON.stringify({ url, size, gap, vertical, urlObject });
}

const OWN = /^(?:https?:\/\/[^/?#]+)?(\/logo\/[^?#]+)$/;

/**
 * Where to load a logo from. Logos lie on the product's own host, which people may reach by another
 * name than the one the address was made with; nothing else is loaded.
 */
export function logoAddress(url: string): string | undefined {
  return OWN.exec(url)?.[1];
}
