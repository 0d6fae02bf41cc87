// MapLibre is by far the largest dependency: import this module only when a map is about to be shown.
import 'maplibre-gl/dist/maplibre-gl.css';
import './map.css';
import { AttributionControl, Map as MapLibreMap, ScaleControl, setWorkerUrl } from 'maplibre-gl';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?worker&url';
import { loadLand } from './land';
import { type MapSource, mapStyle } from './map-style';
import type { Palette } from './palette';

setWorkerUrl(workerUrl);

/** Center of a new map: Makati. */
const CENTER: [lng: number, lat: number] = [121.02, 14.559];
const ZOOM = 11;

/** Whether the URL is a single archive of all tiles rather than a template. */
function isTileArchive(tileUrl: string): boolean {
  return URL.canParse(tileUrl) && new URL(tileUrl).pathname.endsWith('.pmtiles');
}

export interface CreatedMap {
  map: MapLibreMap;
  /** Redraws the map in other colors. The map then fires `style.load`. */
  paint: (palette: Palette) => Promise<void>;
}

/** Creates a map without a style. Throws if the browser cannot draw maps. */
export function createMap(container: HTMLElement, source: MapSource): CreatedMap {
  const map = new MapLibreMap({
    container,
    center: CENTER,
    zoom: ZOOM,
    minZoom: 2,
    maxZoom: 19,
    // North stays at the top, which makes it easier to give directions by phone.
    dragRotate: false,
    pitchWithRotate: false,
    maxPitch: 0,
    attributionControl: false,
    // The fade is long enough to spread the placement of labels over several frames.
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
      // This is the same fallback as for a style that fails to load.
      return mapStyle(palette, land, { tileUrl: '', attribution: '' });
    }
  }

  async function paint(palette: Palette) {
    latest = palette;
    isStyled = false;
    // Register the protocol of tile archives, because a style may refer to them.
    if (source.styleUrl) await import('./tile-archive');
    // Replace the style instead of updating it, because an update would keep added layers in their old colors.
    const style = source.styleUrl && !gaveUp ? source.styleUrl : await ownStyle(palette);
    if (latest === palette) map.setStyle(style, { diff: false });
  }
  map.on('style.load', () => {
    isStyled = true;
  });
  // If the operator's style fails to load, use our own.
  map.on('error', () => {
    if (isStyled || gaveUp || !source.styleUrl || !latest) return;
    gaveUp = true;
    void paint(latest);
  });
  return { map, paint };
}
