import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import { type ReactNode, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, IconButton } from './button';
import { cn } from './cn';
import { STAYS_VISIBLE } from './hidden-page';
import { Note } from './note';
import { controlOfRow, focusHeading, otherRows } from './use-focus-fallback';

/**
 * Returns the element that gets the focus when the dialog closes: the given element or, for a menu item, the button of
 * its menu, because the menu is closed by then.
 */
function whatStays(element: Element | null): Element | null {
  const menu = element?.closest('[role="menu"]');
  return menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : element;
}

/**
 * Returns the focus to the element that opened a dialog. Radix does so for its own triggers only; without this, a
 * dialog opened by state would lose the focus. If the element is gone, as after its row was deleted, the next row of
 * the list gets the focus, or the heading of the page. Spread the result on the dialog's content.
 */
export function useFocusReturn() {
  const opened = useRef<{ by: HTMLElement; rows: Element[]; region: HTMLElement | null }>(undefined);
  return {
    onOpenAutoFocus() {
      const by = whatStays(document.activeElement);
      const isElement = by instanceof HTMLElement && by !== document.body;
      opened.current = isElement ? { by, rows: otherRows(by), region: by.closest('[role="region"]') } : undefined;
    },
    onCloseAutoFocus(event: Event) {
      event.preventDefault();
      // The action may already have moved the focus, for example to the heading of a new page.
      if (!opened.current || document.activeElement !== document.body) return;
      const { by, rows, region } = opened.current;
      (by.isConnected ? by : (controlOfRow(rows) ?? region))?.focus();
      if (document.activeElement === document.body) focusHeading();
    },
  };
}

export const Dialog = Radix.Root;
export const DialogTrigger = Radix.Trigger;

/** In a dialog with a form, the first field gets the initial focus instead of the close button. */
const FIRST_FIELD =
  'form :is(input:not([hidden], [type="hidden"], [type="radio"]:not(:checked)), select, textarea):enabled';

interface DialogContentProps {
  title: ReactNode;
  description?: ReactNode;
  footer?: ReactNode;
  /** In pixels: 440 for a question, 560 for a form, 640 for a list, 960 for a picture. */
  width?: 440 | 560 | 640 | 960;
  /** `alertdialog` has no close button, so that the focus starts on the first answer. */
  role?: 'alertdialog';
  /** Whether the dialog stays open after a click outside. */
  staysOpen?: boolean;
  /** Whether the dialog is visible while `useHiddenPage` hides the page. */
  staysVisible?: boolean;
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
  staysVisible = false,
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
        {...(staysVisible && { style: STAYS_VISIBLE })}
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
              <IconButton icon={X} label={t('close')} shortcut="Esc" size={28} className="-me-1.5" />
            </Radix.Close>
          )}
        </div>
        {children && <div className="min-h-0 overflow-auto overscroll-contain px-5 pt-4 pb-1">{children}</div>}
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
 * A plain overlay. Radix's own overlay prevents scrolling with a style element, which the content security policy
 * blocks. A rule in styles.css does so instead.
 */
export function DialogOverlay() {
  return <div data-scroll-lock className="fixed inset-0 z-50 animate-appear bg-overlay" />;
}

interface ConfirmDialogProps {
  title: ReactNode;
  text: ReactNode;
  /** Labels of the confirm button, idle and busy. */
  confirm: string;
  busy: string;
  danger?: boolean;
  /** If it returns an error message, the dialog shows it and stays open. */
  onConfirm: () => Promise<string | undefined>;
  onClose: () => void;
}

/** Asks for confirmation of an irreversible action. Render it only while open. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, text, confirm, busy, danger = false, onConfirm, onClose } = props;
  const { t } = useTranslation('common');
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();

  async function run() {
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
            <Button disabled={isBusy} onClick={onClose}>
              {t('cancel')}
            </Button>
            <Button
              variant={danger ? 'danger' : 'primary'}
              disabled={isBusy}
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
