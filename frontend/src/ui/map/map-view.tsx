import { LocateFixed, type LucideIcon, Minus, Plus } from 'lucide-react';
import type { Map as MapLibreMap } from 'maplibre-gl';
import { type ReactNode, useEffect, useEffectEvent, useRef, useSyncExternalStore } from 'react';
import { IconButton } from '../button';
import { cn } from '../cn';
import { currentTheme, subscribeTheme } from '../theme';
import type { MapSource } from './map-style';
import { type Palette, readPalette } from './palette';

interface MapViewProps {
  /** Of the map as a whole; what it shows is in a table as well. */
  label: string;
  source: MapSource;
  /** Adds what lies on the map; called again, on an empty map, whenever the colours changed. */
  install: (map: MapLibreMap, palette: Palette) => void;
  /** The map is there, before anything was added; undefined when it leaves. */
  onMap: (map: MapLibreMap | undefined) => void;
  /** The browser could not draw it after all, or its code could not be fetched. */
  onFailed: () => void;
  className?: string;
  children?: ReactNode;
}

/** A map that fills its place, in the colours of the theme. Children lie over it. */
export function MapView(props: MapViewProps) {
  const { label, source, install, onMap, onFailed, className, children } = props;
  const theme = useSyncExternalStore(subscribeTheme, currentTheme);
  const box = useRef<HTMLDivElement>(null);
  const repaint = useRef<() => void>(undefined);
  const tell = useEffectEvent(onMap);
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
      const created = createMap(container, { styleUrl, tileUrl, attribution });
      map = created.map;
      map.on('style.load', ({ target }) => add(target, readPalette()));
      repaint.current = () => {
        created.paint(readPalette()).catch(() => !isOver && fail());
      };
      repaint.current();
      tell(map);
    }
    start().catch(() => !isOver && fail());
    return () => {
      isOver = true;
      repaint.current = undefined;
      if (map) tell(undefined);
      map?.remove();
    };
  }, [styleUrl, tileUrl, attribution]);

  useEffect(() => repaint.current?.(), [theme]);

  return (
    <div className={cn('relative min-h-0 min-w-0 overflow-hidden', className)}>
      {/* The library lays its own classes on this one. */}
      <div ref={box} role="application" aria-label={label} className="waybill-map absolute! inset-0" />
      {children}
    </div>
  );
}

interface MapToolsProps {
  map: MapLibreMap | undefined;
  labels: { zoomIn: string; zoomOut: string; recentre: string };
  onRecentre: () => void;
  recentreIcon?: LucideIcon;
  className?: string;
}

/** Zoom and the way back to what matters, in the corner of a map. */
export function MapTools(props: MapToolsProps) {
  const { map, labels, onRecentre, recentreIcon = LocateFixed, className } = props;
  const look = 'shadow-float';
  return (
    <div className={cn('absolute top-4 end-4 z-10 flex flex-col gap-2', className)}>
      <div className="flex flex-col gap-px">
        <IconButton variant="default" icon={Plus} label={labels.zoomIn} onClick={() => map?.zoomIn()} className={look} />
        <IconButton variant="default" icon={Minus} label={labels.zoomOut} onClick={() => map?.zoomOut()} className={look} />
      </div>
      <IconButton variant="default" icon={recentreIcon} label={labels.recentre} onClick={onRecentre} className={look} />
    </div>
  );
}
