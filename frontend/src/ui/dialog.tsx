import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from './button';
import { cn } from './cn';
import { DialogOverlay } from './dialog-overlay';
import { useFocusReturn } from './use-focus-return';

export const Dialog = Radix.Root;
export const DialogTrigger = Radix.Trigger;
export const DialogClose = Radix.Close;

/** A dialog with a form starts there, not on the button that closes it. */
const FIRST_FIELD =
  'form :is(input:not([hidden], [type="hidden"], [type="radio"]:not(:checked)), select, textarea):enabled';

interface DialogContentProps {
  title: ReactNode;
  description?: ReactNode;
  footer?: ReactNode;
  /** 440 for a question, 560 for a form, 640 for a list, 960 for a picture. */
  width?: 440 | 560 | 640 | 960;
  /** A question that wants an answer: without the X, so that the focus starts on the first one. */
  role?: 'alertdialog';
  /** A click beside it does not close it. */
  staysOpen?: boolean;
  children?: ReactNode;
}

const widths = {
  440: 'max-w-[440px]',
  560: 'max-w-[560px]',
  640: 'max-w-[640px]',
  960: 'max-w-[960px]',
};

export function DialogContent({
  title,
  description,
  footer,
  width = 440,
  role,
  staysOpen = false,
  children,
}: DialogContentProps) {
  const { t } = useTranslation('common');
  const focusReturn = useFocusReturn();
  return (
    <Radix.Portal>
      <DialogOverlay />
      <Radix.Content
        {...focusReturn}
        onOpenAutoFocus={(event) => {
          focusReturn.onOpenAutoFocus();
          const content = event.currentTarget as HTMLElement | null;
          const field = content?.querySelector<HTMLElement>(FIRST_FIELD);
          if (!field) return;
          event.preventDefault();
          field.focus();
        }}
        {...(description ? {} : { 'aria-describedby': undefined })}
        {...(role && { role })}
        aria-modal
        {...(staysOpen && { onInteractOutside: (event: Event) => event.preventDefault() })}
        className={cn(
          'fixed inset-x-4 top-1/2 z-50 mx-auto flex max-h-[calc(100dvh-32px)] -translate-y-1/2 animate-appear flex-col rounded-panel border border-line2 bg-surface shadow-dialog focus-visible:outline-none',
          widths[width],
        )}
      >
        <div className="flex items-start gap-3 px-5 pt-4">
          <div className="min-w-0 flex-1">
            <Radix.Title className="text-title font-semibold">{title}</Radix.Title>
            {description && (
              <Radix.Description className="mt-1 text-sm text-muted">
                {description}
              </Radix.Description>
            )}
          </div>
          {role !== 'alertdialog' && (
            <Radix.Close asChild>
              <IconButton icon={X} label={t('close')} size={28} className="-mr-1.5" />
            </Radix.Close>
          )}
        </div>
        {children && <div className="min-h-0 overflow-auto px-5 pt-4 pb-1">{children}</div>}
        {footer ? (
          <div className="flex flex-wrap justify-end gap-2 px-5 pt-4 pb-4">{footer}</div>
        ) : (
          <div className="h-4 shrink-0" />
        )}
      </Radix.Content>
    </Radix.Portal>
  );
}
