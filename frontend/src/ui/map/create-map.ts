// The map itself is by far the largest thing that a page here needs: this module is only ever
// imported when a map is about to be shown.
import 'maplibre-gl/dist/maplibre-gl.css';
import './map.css';
import { AttributionControl, Map as MapLibreMap, ScaleControl, setWorkerUrl } from 'maplibre-gl';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?worker&url';
import { loadLand } from './land';
import { type MapSource, mapStyle } from './map-style';
import type { Palette } from './palette';

setWorkerUrl(workerUrl);

/** Where the map begins when nothing says otherwise. */
const CENTRE: [lng: number, lat: number] = [121.02, 14.559];
const ZOOM = 11;

/** One file with all tiles, rather than an address for each of them. */
function isTileArchive(tileUrl: string): boolean {
  return URL.canParse(tileUrl) && new URL(tileUrl).pathname.endsWith('.pmtiles');
}

export interface CreatedMap {
  map: MapLibreMap;
  /** Draws it anew in other colours; `style.load` follows. */
  paint: (palette: Palette) => Promise<void>;
}

/** A map in an element, yet without a style. Throws when the browser cannot draw one. */
export function createMap(container: HTMLElement, source: MapSource): CreatedMap {
  const map = new MapLibreMap({
    container,
    center: CENTRE,
    zoom: ZOOM,
    minZoom: 2,
    maxZoom: 19,
    // North stays up: who gives directions by phone needs that more than a turned map.
    dragRotate: false,
    pitchWithRotate: false,
    maxPitch: 0,
    attributionControl: false,
    // Long enough for names and signs to be placed over a few frames, not all of them in one.
    fadeDuration: 80,
    localIdeographFontFamily: 'sans-serif',
  });
  map.touchZoomRotate.disableRotation();
  map.keyboard.disableRotation();
  map.addControl(new ScaleControl({ maxWidth: 100, unit: 'metric' }), 'bottom-right');
  map.addControl(
    new AttributionControl({
      compact: false,
      ...(source.styleUrl && source.attribution && { customAttribution: source.attribution }),
    }),
    'bottom-right',
  );
  let isStyled = false;
  let gaveUp = false;
  let latest: Palette | undefined;

  async function ownStyle(palette: Palette) {
    const land = await loadLand();
    if (!isTileArchive(source.tileUrl)) return mapStyle(palette, land, source);
    try {
      const { openTileArchive } = await import('./tile-archive');
      return mapStyle(palette, land, source, await openTileArchive(source.tileUrl));
    } catch {
      // As with a style that cannot be had.
      return mapStyle(palette, land, { tileUrl: '', attribution: '' });
    }
  }

  async function paint(palette: Palette) {
    latest = palette;
    isStyled = false;
    // A style may name files of tiles as well.
    if (source.styleUrl) await import('./tile-archive');
    // Not the difference to the style before: what was added to that would stay, in its colours.
    const style = source.styleUrl && !gaveUp ? source.styleUrl : await ownStyle(palette);
    if (latest === palette) map.setStyle(style, { diff: false });
  }
  map.on('style.load', () => {
    isStyled = true;
  });
  // A style that cannot be had is no reason for no map.
  map.on('error', () => {
    if (isStyled || gaveUp || !source.styleUrl || !latest) return;
    gaveUp = true;
    void paint(latest);
  });
  return { map, paint };
}
