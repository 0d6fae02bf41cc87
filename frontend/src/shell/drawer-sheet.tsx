import { X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { useTranslation } from 'react-i18next';
import { IconButton } from '@/ui/button';
import { DialogOverlay, useFocusReturn } from '@/ui/dialog';
import { Drawer } from './drawer';
import { ThemeSwitch } from './theme-switch';

/** The drawer as a sheet on narrow screens. */
export default function DrawerSheet({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['shell', 'common']);
  const focusReturn = useFocusReturn();
  return (
    <Dialog.Root open onOpenChange={onClose}>
      <Dialog.Portal>
        <DialogOverlay />
        <Dialog.Content
          {...focusReturn}
          aria-describedby={undefined}
          className="fixed inset-y-0 start-0 z-50 w-72 max-w-[calc(100vw-56px)] animate-sheet border-e border-line bg-surface shadow-dialog focus-visible:outline-none"
        >
          <Dialog.Title className="sr-only">{t('menu')}</Dialog.Title>
          <Drawer onNavigate={onClose} />
          <div className="absolute top-3 end-2 flex">
            <ThemeSwitch />
            <Dialog.Close asChild>
              <IconButton icon={X} label={t('close', { ns: 'common' })} shortcut="Esc" />
            </Dialog.Close>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
