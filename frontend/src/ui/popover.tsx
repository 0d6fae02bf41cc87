import { Popover as Radix } from 'radix-ui';
import type { ComponentProps } from 'react';
import { cn } from './cn';

export const Popover = Radix.Root;
export const PopoverTrigger = Radix.Trigger;
export const PopoverClose = Radix.Close;

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
        className={cn(
          'z-40 max-h-(--radix-popover-content-available-height) max-w-[calc(100vw-24px)] animate-appear overflow-auto rounded-panel border border-line2 bg-surface p-3 shadow-float focus-visible:outline-none',
          className,
        )}
        {...rest}
      />
    </Radix.Portal>
  );
}
