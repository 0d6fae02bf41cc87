import type { LucideIcon } from 'lucide-react';
import { DropdownMenu as Radix } from 'radix-ui';
import { type ComponentProps, useId } from 'react';
import { cn } from './cn';

export const DropdownMenuTrigger = Radix.Trigger;

/**
 * A menu that is not modal, because a modal one prevents scrolling with a style element, which the content security
 * policy blocks.
 */
export function DropdownMenu(props: ComponentProps<typeof Radix.Root>) {
  return <Radix.Root modal={false} {...props} />;
}

/** Never higher than the room in the window, so that every item can be scrolled to. */
const heights = {
  content: 'max-h-(--radix-dropdown-menu-content-available-height)',
  list: 'max-h-[min(24rem,var(--radix-dropdown-menu-content-available-height))]',
};

interface DropdownMenuContentProps extends ComponentProps<typeof Radix.Content> {
  /** `list` limits the height of a menu with any number of items. */
  size?: keyof typeof heights;
}

export function DropdownMenuContent({
  // Names in a menu wrap rather than make it wider than a phone.
  className = 'max-w-[min(28rem,calc(100vw-24px))]',
  size = 'content',
  sideOffset = 4,
  align = 'end',
  ...rest
}: DropdownMenuContentProps) {
  return (
    <Radix.Portal>
      <Radix.Content
        sideOffset={sideOffset}
        align={align}
        collisionPadding={12}
        className={cn(
          'z-40 min-w-44 animate-appear overflow-y-auto overscroll-contain rounded-panel border border-line2 bg-surface p-1 shadow-float focus-visible:outline-none',
          heights[size],
          className,
        )}
        {...rest}
      />
    </Radix.Portal>
  );
}

interface DropdownMenuItemProps extends ComponentProps<typeof Radix.Item> {
  icon?: LucideIcon;
  danger?: boolean;
}

export function DropdownMenuItem({
  icon: Icon,
  danger = false,
  className,
  children,
  asChild: _asChild,
  ...rest
}: DropdownMenuItemProps) {
  return (
    <Radix.Item
      className={cn(
        'flex min-h-8 cursor-pointer items-center gap-2 rounded-control px-2 text-sm wrap-anywhere outline-none select-none data-disabled:cursor-default data-disabled:text-muted data-highlighted:bg-hover pointer-coarse:min-h-11',
        danger && 'text-bad data-highlighted:bg-bad-soft',
        className,
      )}
      {...rest}
    >
      {Icon && <Icon aria-hidden className={cn('size-4 shrink-0', !danger && 'text-muted')} />}
      {children}
    </Radix.Item>
  );
}

export function DropdownMenuLabel({ children }: { children: React.ReactNode }) {
  return <Radix.Label className="caps px-2 py-1.5 wrap-anywhere text-muted">{children}</Radix.Label>;
}

/** A labeled group of items. */
export function DropdownMenuGroup({ label, children }: { label: string; children: React.ReactNode }) {
  const id = useId();
  return (
    <Radix.Group aria-labelledby={id}>
      <Radix.Label id={id} className="caps px-2 py-1.5 text-muted">
        {label}
      </Radix.Label>
      {children}
    </Radix.Group>
  );
}

export function DropdownMenuSeparator() {
  return <Radix.Separator className="-mx-1 my-1 h-px bg-line" />;
}
