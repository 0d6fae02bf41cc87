import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from './button';
import { useFocusReturn } from './dialog';

interface SidePanelProps {
  title: ReactNode;
  subtitle?: ReactNode;
  /** Controls before the close button, such as previous and next. */
  tools?: ReactNode;
  onClose: () => void;
  children: ReactNode;
}

/** Details beside a list, which stays usable to open other rows. On narrow screens it covers the page. */
export function SidePanel({ title, subtitle, tools, onClose, children }: SidePanelProps) {
  const { t } = useTranslation('common');
  const focusReturn = useFocusReturn();
  return (
    <Radix.Root open modal={false} onOpenChange={onClose}>
      <Radix.Portal>
        <Radix.Content
          {...focusReturn}
          aria-describedby={undefined}
          onInteractOutside={(event) => event.preventDefault()}
          className="fixed top-(--shell-top) end-0 bottom-0 z-30 flex w-[528px] max-w-full animate-appear flex-col border-s border-line2 bg-surface shadow-dialog focus-visible:outline-none max-md:top-0 max-md:w-full max-md:border-s-0"
        >
          <div className="flex items-start gap-2 border-b border-line py-2.5 pe-3 ps-5 max-md:ps-4">
            <div className="min-w-0 flex-1 py-0.5">
              <Radix.Title className="text-title font-semibold wrap-anywhere">{title}</Radix.Title>
              {subtitle && <p className="text-xs text-muted">{subtitle}</p>}
            </div>
            {tools}
            <Radix.Close asChild>
              <IconButton icon={X} label={t('close')} shortcut="Esc" />
            </Radix.Close>
          </div>
          <div className="min-h-0 flex-1 overflow-y-auto p-5 max-md:p-4">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
