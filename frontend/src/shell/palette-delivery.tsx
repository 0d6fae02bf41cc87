import { CornerDownLeft, Package } from 'lucide-react';
import { StatusChip } from '@/ui/status-chip';
import { PaletteItem } from './palette-item';
import type { FoundDelivery } from './use-palette-lookup';

interface PaletteDeliveryProps {
  delivery: FoundDelivery;
  onSelect: () => void;
}

export function PaletteDelivery({ delivery, onSelect }: PaletteDeliveryProps) {
  const { id, customername, deliverystatus } = delivery;
  return (
    <PaletteItem
      value={`delivery ${id}`}
      icon={Package}
      label={id}
      note={customername}
      end={
        <>
          <StatusChip kind="delivery" status={deliverystatus} />
          <CornerDownLeft
            aria-hidden
            className="hidden size-3.5 shrink-0 text-muted group-data-[selected=true]:block"
          />
        </>
      }
      onSelect={onSelect}
    />
  );
}
