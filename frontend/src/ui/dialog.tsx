import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import { type ReactNode, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, IconButton } from './button';
import { cn } from './cn';
import { Note } from './note';

/** The item of a menu is gone once it was chosen; the button of the menu stays. */
function whatStays(element: Element | null): Element | null {
  const menu = element?.closest('[role="menu"]');
  return menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : element;
}

/**
 * Gives the focus back to what opened a dialog. The primitive does so only for a trigger of its own;
 * a dialog that opens by state would leave the focus nowhere. To be spread on the dialog's content.
 */
export function useFocusReturn() {
  const opener = useRef<Element | null>(null);
  return {
    onOpenAutoFocus() {
      opener.current = whatStays(document.activeElement);
    },
    onCloseAutoFocus(event: Event) {
      event.preventDefault();
      // What closed the dialog may have moved the focus on, to the heading of another page.
      const isLost = document.activeElement === document.body;
      if (isLost && opener.current instanceof HTMLElement) opener.current.focus();
    },
  };
}

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
              <IconButton icon={X} label={t('close')} size={28} className="-me-1.5" />
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

/**
 * A plain layer in the place of Radix' own overlay, which locks scrolling through a style element
 * that the content security policy refuses. The lock is a rule in styles.css instead.
 */
export function DialogOverlay() {
  return <div data-scroll-lock className="fixed inset-0 z-50 animate-appear bg-overlay" />;
}

interface ConfirmDialogProps {
  title: ReactNode;
  text: ReactNode;
  /** The verb, and what the button says while it happens. */
  confirm: string;
  busy: string;
  danger?: boolean;
  /** Answers what went wrong, which keeps the question open. */
  onConfirm: () => Promise<string | undefined>;
  onClose: () => void;
}

/** Asks before something that cannot be taken back. Drawn only while the question is open. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, text, confirm, busy, danger = false, onConfirm, onClose } = props;
  const { t } = useTranslation('common');
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();

  async function run() {
    if (isBusy) return;
    setBusy(true);
    setFailure(undefined);
    const failed = await onConfirm();
    setBusy(false);
    if (failed === undefined) onClose();
    else setFailure(failed);
  }

  return (
    <Dialog open onOpenChange={() => !isBusy && onClose()}>
      <DialogContent
        role="alertdialog"
        title={title}
        description={text}
        footer={
          <>
            <Button aria-disabled={isBusy || undefined} onClick={() => !isBusy && onClose()}>
              {t('cancel')}
            </Button>
            <Button
              variant={danger ? 'danger' : 'primary'}
              // Not disabled, which would drop the focus out of the question.
              aria-disabled={isBusy || undefined}
              onClick={() => void run()}
            >
              {isBusy ? busy : confirm}
            </Button>
          </>
        }
      >
        {failure !== undefined && (
          <Note tone="bad" role="alert">
            {failure}
          </Note>
        )}
      </DialogContent>
    </Dialog>
  );
}
