import { LocateFixed, type LucideIcon, Minus, Plus } from 'lucide-react';
import type { Map as MapLibreMap } from 'maplibre-gl';
import { type ReactNode, useEffect, useEffectEvent, useRef, useSyncExternalStore } from 'react';
import { IconButton } from '../button';
import { cn } from '../cn';
import { currentTheme, subscribeTheme } from '../theme';
import type { CreatedMap } from './create-map';
import type { MapSource } from './map-style';
import { type Palette, readPalette } from './palette';

/** The browser cannot draw maps, or the map's code or data failed to load. */
export type MapFailure = 'unsupported' | 'notLoaded';

interface MapViewProps {
  /** Accessible name of the map; its content is also available as a table. */
  label: string;
  source: MapSource;
  /** Adds sources and layers. Called again on an empty map after each theme change. */
  install: (map: MapLibreMap, palette: Palette) => void;
  /** Called with the new map before anything is added, and with undefined when it is removed. */
  onMap: (map: MapLibreMap | undefined) => void;
  onFailed: (why: MapFailure) => void;
  className?: string;
  children?: ReactNode;
}

/** A map that fills its container in the theme's colors. Children are drawn on top. */
export function MapView(props: MapViewProps) {
  const { label, source, install, onMap, onFailed, className, children } = props;
  const theme = useSyncExternalStore(subscribeTheme, currentTheme);
  const box = useRef<HTMLDivElement>(null);
  const repaint = useRef<() => void>(undefined);
  const notify = useEffectEvent(onMap);
  const fail = useEffectEvent(onFailed);
  const add = useEffectEvent(install);
  const { styleUrl, tileUrl, attribution } = source;

  useEffect(() => {
    let isOver = false;
    let map: MapLibreMap | undefined;
    async function start() {
      const { createMap } = await import('./create-map');
      const container = box.current;
      if (isOver || !container) return;
      let created: CreatedMap;
      try {
        created = createMap(container, { styleUrl, tileUrl, attribution });
      } catch {
        fail('unsupported');
        return;
      }
      map = created.map;
      map.on('style.load', ({ target }) => add(target, readPalette()));
      repaint.current = () => {
        created.paint(readPalette()).catch(() => !isOver && fail('notLoaded'));
      };
      repaint.current();
      notify(map);
    }
    start().catch(() => !isOver && fail('notLoaded'));
    return () => {
      isOver = true;
      repaint.current = undefined;
      if (map) notify(undefined);
      map?.remove();
    };
  }, [styleUrl, tileUrl, attribution]);

  useEffect(() => repaint.current?.(), [theme]);

  return (
    <div className={cn('relative min-h-0 min-w-0 overflow-hidden', className)}>
      {/* MapLibre adds its own classes to this element. */}
      <div ref={box} role="application" aria-label={label} className="waybill-map absolute! inset-0" />
      {children}
    </div>
  );
}

interface MapToolsProps {
  map: MapLibreMap | undefined;
  labels: { zoomIn: string; zoomOut: string; recenter: string };
  onRecenter: () => void;
  recenterIcon?: LucideIcon;
  className?: string;
}

/** Zoom and recenter buttons in the corner of a map. */
export function MapTools(props: MapToolsProps) {
  const { map, labels, onRecenter, recenterIcon = LocateFixed, className } = props;
  const look = 'shadow-float';
  return (
    <div className={cn('absolute top-4 end-4 z-10 flex flex-col gap-2', className)}>
      <div className="flex flex-col gap-px">
        <IconButton variant="default" icon={Plus} label={labels.zoomIn} onClick={() => map?.zoomIn()} className={look} />
        <IconButton variant="default" icon={Minus} label={labels.zoomOut} onClick={() => map?.zoomOut()} className={look} />
      </div>
      <IconButton variant="default" icon={recenterIcon} label={labels.recenter} onClick={onRecenter} className={look} />
    </div>
  );
}
