import { beforeEach, expect, it, vi } from 'vitest';
import { createMap } from './create-map';
import type { Palette } from './palette';

type Style = { sources: Record<string, { attribution?: string; tiles?: string[]; url?: string }>; layers: { id: string }[] };

const made = vi.hoisted(() => ({
  options: {} as Record<string, unknown>,
  styles: [] as unknown[],
  credits: [] as unknown[],
  protocols: [] as string[],
  listeners: new Map<string, () => void>(),
}));
vi.mock('maplibre-gl/dist/maplibre-gl-worker.mjs?worker&url', () => ({ default: '/worker.js' }));
vi.mock('maplibre-gl', () => ({
  addProtocol: (name: string) => made.protocols.push(name),
  setWorkerUrl: () => undefined,
  AttributionControl: function AttributionControl(options: unknown) {
    made.credits.push(options);
  },
  ScaleControl: function ScaleControl() {
    return undefined;
  },
  Map: class {
    touchZoomRotate = { disableRotation: () => undefined };
    keyboard = { disableRotation: () => undefined };
    constructor(options: Record<string, unknown>) {
      made.options = options;
    }
    addControl() {}
    on(name: string, listener: () => void) {
      made.listeners.set(name, listener);
    }
    setStyle(style: unknown) {
      made.styles.push(style);
    }
  },
}));

const palette = new Proxy({}, { get: () => 'rgb(1, 2, 3)' }) as Palette;
const own = { styleUrl: '', tileUrl: '', attribution: '' };

beforeEach(() => {
  made.styles = [];
  made.credits = [];
  vi.stubGlobal('fetch', () =>
    Promise.resolve(
      new Response(JSON.stringify({ type: 'MultiPolygon', coordinates: [[[[120, 14], [121, 14], [121, 15], [120, 14]]]] })),
    ),
  );
});

it('begins at the center of the specification, with north up', () => {
  createMap(document.createElement('div'), own);
  expect(made.options).toMatchObject({ center: [121.02, 14.559], zoom: 11, dragRotate: false });
});

it('needs nobody else: land, coast and names are its own, and it asks no server for letters', async () => {
  const { paint } = createMap(document.createElement('div'), own);
  await paint(palette);
  const style = made.styles[0] as Style;
  expect(style.layers.map(({ id }) => id)).toEqual(['water', 'land', 'lakes', 'coast', 'water-names', 'town-names', 'city-names']);
  expect(style).not.toHaveProperty('glyphs');
  expect(JSON.stringify(style)).not.toContain('http');
  expect(style.sources.land?.attribution).toBe('Coast: Natural Earth');
});

it('lies on the tiles that the operator names, which bring their names', async () => {
  const tileUrl = 'https://tiles.example.com/{z}/{x}/{y}.png';
  const { paint } = createMap(document.createElement('div'), { ...own, tileUrl, attribution: '© Example' });
  await paint(palette);
  const style = made.styles[0] as Style;
  expect(style.sources.tiles?.tiles).toEqual([tileUrl]);
  expect(style.layers.map(({ id }) => id)).toEqual(['water', 'land', 'lakes', 'coast', 'tiles']);
  expect(style.sources.land?.attribution).toBe('© Example');
});

it('takes the style that the operator names', async () => {
  const styleUrl = 'https://tiles.example.com/style.json';
  const { paint } = createMap(document.createElement('div'), { ...own, styleUrl, attribution: '© Example' });
  await paint(palette);
  expect(made.styles).toEqual([styleUrl]);
  expect(made.credits).toEqual([{ compact: false, customAttribution: '© Example' }]);
  // If the operator's style fails to load, the map gets our own style.
  made.listeners.get('error')?.();
  await vi.waitFor(() => expect(made.styles).toHaveLength(2));
  expect((made.styles[1] as Style).layers.map(({ id }) => id)).toContain('land');
});

/** Returns the header of a tile archive, in which only the tile type matters here. */
function archiveHead(tileType: number): ArrayBuffer {
  const head = new DataView(new ArrayBuffer(200));
  new Uint8Array(head.buffer).set(new TextEncoder().encode('PMTiles\u0003'));
  head.setBigUint64(8, 127n, true);
  head.setBigUint64(16, 1n, true);
  for (const [index, value] of [1, 1, 1, tileType, 0, 14].entries()) head.setUint8(96 + index, value);
  return head.buffer as ArrayBuffer;
}

const land = JSON.stringify({ type: 'MultiPolygon', coordinates: [] });

function serveArchive(name: string, answer: () => Response) {
  vi.stubGlobal('fetch', (asked: string) => Promise.resolve(asked.endsWith(name) ? answer() : new Response(land)));
  return `https://tiles.example.com/${name}`;
}

it.each([
  ['streets', 1, ['streets-earth', 'streets-highways', 'streets-places']],
  ['pictures', 2, ['tiles']],
] as const)('lies on a file with all tiles, of %s', async (kind, tileType, layers) => {
  const tileUrl = serveArchive(`${kind}.pmtiles`, () => new Response(archiveHead(tileType), { status: 206 }));
  const { paint } = createMap(document.createElement('div'), { ...own, tileUrl });
  await paint(palette);
  const style = made.styles[0] as Style;
  expect(made.protocols).toContain('pmtiles');
  expect(style.sources.tiles).toMatchObject({ url: `pmtiles://${tileUrl}` });
  const ids = style.layers.map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining([...layers]));
  expect(ids).not.toContain('city-names');
});

it('is there all the same when the file of tiles is not', async () => {
  const tileUrl = serveArchive('gone.pmtiles', () => new Response('not here', { status: 404 }));
  const { paint } = createMap(document.createElement('div'), { ...own, tileUrl });
  await paint(palette);
  expect((made.styles[0] as Style).layers.map(({ id }) => id)).toContain('city-names');
});
