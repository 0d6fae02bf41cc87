import { lazy, Suspense } from 'react';
import { useShortcut } from './use-shortcut';

const PaletteDialog = lazy(() => import('./palette-dialog'));

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
