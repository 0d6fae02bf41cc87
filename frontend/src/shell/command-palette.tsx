import { Suspense } from 'react';
import { lazyPart } from '@/ui/lazy-part';
import { useShortcut } from './use-shortcut';

const PaletteDialog = lazyPart(() => import('./palette-dialog'), ({ onClose }) => onClose());

interface CommandPaletteProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** Its code comes with the first opening. */
export function CommandPalette({ open, onOpenChange }: CommandPaletteProps) {
  useShortcut({ key: 'k', mod: true }, () => onOpenChange(!open));
  if (!open) return null;
  return (
    <Suspense>
      <PaletteDialog onClose={() => onOpenChange(false)} />
    </Suspense>
  );
}
