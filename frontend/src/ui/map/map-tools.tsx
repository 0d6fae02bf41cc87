import type { Map as MapLibreMap } from 'maplibre-gl';
import { LocateFixed, type LucideIcon, Minus, Plus } from 'lucide-react';
import { IconButton } from '@/ui/button';
import { cn } from '@/ui/cn';

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
    <div className={cn('absolute top-4 right-4 z-10 flex flex-col gap-2', className)}>
      <div className="flex flex-col gap-px">
        <IconButton variant="default" icon={Plus} label={labels.zoomIn} onClick={() => map?.zoomIn()} className={look} />
        <IconButton variant="default" icon={Minus} label={labels.zoomOut} onClick={() => map?.zoomOut()} className={look} />
      </div>
      <IconButton variant="default" icon={recentreIcon} label={labels.recentre} onClick={onRecentre} className={look} />
    </div>
  );
}
