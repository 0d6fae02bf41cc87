import { Popover as Radix } from 'radix-ui';
import type { ComponentProps } from 'react';
import { hasOnScreenKeyboard } from '@/lib/on-screen-keyboard';
import { cn } from './cn';

export const Popover = Radix.Root;
export const PopoverTrigger = Radix.Trigger;
export const PopoverClose = Radix.Close;

/** Gives the focus to the popover instead of its first input, whose keyboard would cover the rest of it. */
function keepKeyboardClosed(event: Event) {
  if (!hasOnScreenKeyboard()) return;
  event.preventDefault();
  (event.currentTarget as HTMLElement | null)?.focus({ preventScroll: true });
}

export function PopoverContent({
  className,
  sideOffset = 6,
  align = 'start',
  ...rest
}: ComponentProps<typeof Radix.Content>) {
  return (
    <Radix.Portal>
      <Radix.Content
        sideOffset={sideOffset}
        align={align}
        collisionPadding={12}
        onOpenAutoFocus={keepKeyboardClosed}
        className={cn(
          'z-40 max-h-(--radix-popover-content-available-height) max-w-[calc(100vw-24px)] animate-appear overflow-auto overscroll-contain rounded-panel border border-line2 bg-surface p-3 shadow-float focus-visible:outline-none',
          className,
        )}
        {...rest}
      />
    </Radix.Portal>
  );
}
