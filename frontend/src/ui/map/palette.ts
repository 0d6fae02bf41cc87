/** Color tokens used by the map, by their palette name. */
const tokens = {
  water: '--map-water',
  land: '--map-land',
  coast: '--map-coast',
  label: '--map-label',
  halo: '--map-halo',
  waterLabel: '--map-water-label',
  road: '--map-road',
  casing: '--map-casing',
  minor: '--map-minor',
  green: '--map-green',
  surface: '--surface',
  fg: '--fg',
  line2: '--line2',
  muted: '--muted',
  accent: '--accent',
  accentFg: '--accent-fg',
  ok: '--ok',
  warn: '--warn',
  info: '--info',
  bad: '--bad',
  idle: '--idle',
} as const;

export type Palette = Record<keyof typeof tokens, string>;

/** Reads the colors of the current theme as RGB, since MapLibre does not support the notation of the tokens. */
export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const canvas = document.createElement('canvas');
  canvas.width = 1;
  canvas.height = 1;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  function plain(token: string): string {
    const value = style.getPropertyValue(token).trim();
    if (!context) return value;
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = value;
    context.fillRect(0, 0, 1, 1);
    const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
    return `rgb(${red}, ${green}, ${blue})`;
  }
  return Object.fromEntries(
    Object.entries(tokens).map(([name, token]) => [name, plain(token)]),
  ) as Palette;
}
