import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from './button';
import { useFocusReturn } from './dialog';
import { TOASTER } from './toast';
import { useFocusFallback } from './use-focus-fallback';
import { useNarrowScreen } from './use-narrow-screen';

interface SidePanelProps {
  title: ReactNode;
  subtitle?: ReactNode;
  /** Controls before the close button, such as previous and next. */
  tools?: ReactNode;
  onClose: () => void;
  children: ReactNode;
}

/** Attribute of side panels. */
export const SIDE_PANEL = 'data-side-panel';

/** Details beside a list, which stays usable to open other rows. On narrow screens it covers the page. */
export function SidePanel({ title, subtitle, tools, onClose, children }: SidePanelProps) {
  const { t } = useTranslation('common');
  const focusReturn = useFocusReturn();
  const isNarrow = useNarrowScreen();
  return (
    <Radix.Root open modal={false} onOpenChange={onClose}>
      <Radix.Portal>
        <Radix.Content
          {...focusReturn}
          {...{ [SIDE_PANEL]: '' }}
          aria-modal={isNarrow || undefined}
          aria-describedby={undefined}
          // Escape in a toast only leaves the toast. The library sees the key first.
          onEscapeKeyDown={(event) => {
            if (document.activeElement?.closest(`[${TOASTER}]`)) event.preventDefault();
          }}
          onInteractOutside={(event) => event.preventDefault()}
          className="fixed top-(--shell-top) end-0 bottom-0 z-30 flex w-[528px] max-w-full animate-appear flex-col border-s border-line2 bg-surface shadow-dialog focus-visible:outline-none max-md:top-0 max-md:w-full max-md:border-s-0"
        >
          <div className="flex items-start gap-2 border-b border-line py-2.5 pe-3 ps-5 max-md:ps-4">
            {/* Announces the next row when the panel goes on to it. */}
            <div aria-live="polite" aria-atomic className="min-w-0 flex-1 py-0.5">
              <Radix.Title className="text-title font-semibold wrap-anywhere">{title}</Radix.Title>
              {subtitle && <p className="text-xs text-muted">{subtitle}</p>}
            </div>
            {tools}
            <Radix.Close asChild>
              <IconButton icon={X} label={t('close')} shortcut="Esc" />
            </Radix.Close>
          </div>
          <PanelBody>{children}</PanelBody>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function PanelBody({ children }: { children: ReactNode }) {
  // The details of the next row may not have the control that had the focus.
  const ref = useFocusFallback<HTMLDivElement>((body) => body.closest<HTMLElement>('[role="dialog"]'));
  return (
    <div ref={ref} className="min-h-0 flex-1 overflow-y-auto overscroll-contain p-5 max-md:p-4">
      {children}
    </div>
  );
}
