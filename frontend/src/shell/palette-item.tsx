import { Command } from 'cmdk';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

export const groupClasses =
  '**:[[cmdk-group-heading]]:caps **:[[cmdk-group-heading]]:px-2 **:[[cmdk-group-heading]]:pt-3 **:[[cmdk-group-heading]]:pb-1 **:[[cmdk-group-heading]]:text-muted';

interface PaletteItemProps {
  /** Tells it from the others. */
  value: string;
  icon: LucideIcon;
  label: ReactNode;
  note?: ReactNode;
  end?: ReactNode;
  onSelect: () => void;
}

/** A line of the palette: what it is, what more there is to know, and what stands at its end. */
export function PaletteItem({ value, icon: Icon, label, note, end, onSelect }: PaletteItemProps) {
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      className="group flex h-9 cursor-pointer items-center gap-3 rounded-control px-2 text-sm select-none data-[selected=true]:bg-accent-soft pointer-coarse:h-11"
    >
      <Icon
        aria-hidden
        className="size-4 shrink-0 text-muted group-data-[selected=true]:text-accent"
      />
      <span className="shrink-0 font-medium tabular-nums group-data-[selected=true]:text-accent">
        {label}
      </span>{' '}
      <span className="min-w-0 flex-1 truncate text-muted">{note}</span> {end}
    </Command.Item>
  );
}
