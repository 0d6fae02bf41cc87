import type { LucideIcon } from 'lucide-react';
import { Slot } from 'radix-ui';
import { type ComponentProps, type FocusEvent, type MouseEvent, useState } from 'react';
import { cn } from './cn';

export type ButtonVariant = 'primary' | 'default' | 'ghost' | 'quiet' | 'danger';
export type ButtonSize = 28 | 32 | 36 | 40;

const variants: Record<ButtonVariant, string> = {
  primary:
    'border-transparent bg-accent text-accent-fg hover:bg-[color-mix(in_oklch,var(--accent)_90%,var(--fg))]',
  default: 'border-line2 bg-surface text-fg hover:bg-raised active:bg-hover aria-pressed:bg-hover',
  ghost: 'border-transparent text-fg hover:bg-raised active:bg-hover aria-pressed:bg-hover',
  quiet:
    'border-transparent text-muted hover:bg-raised hover:text-fg active:bg-hover aria-pressed:bg-hover',
  danger: 'border-bad-line bg-surface text-bad hover:bg-bad-soft',
};

const heights: Record<ButtonSize, string> = {
  28: 'h-7 text-xs',
  32: 'h-8 text-sm',
  36: 'h-9 text-sm',
  40: 'h-10 text-base pointer-coarse:h-12',
};

const paddings: Record<ButtonSize, string> = { 28: 'px-2', 32: 'px-3', 36: 'px-4', 40: 'px-4' };
const squares: Record<ButtonSize, string> = { 28: 'w-7', 32: 'w-8', 36: 'w-9', 40: 'w-10' };

const filledOff = 'off:border-line off:bg-raised off:text-muted';
const plainOff = 'off:bg-transparent off:text-muted/55';

const offLooks: Record<ButtonVariant, string> = {
  primary: filledOff,
  default: filledOff,
  danger: filledOff,
  ghost: plainOff,
  quiet: plainOff,
};

const base =
  'hit-target inline-flex shrink-0 items-center justify-center gap-2 rounded-control border font-medium whitespace-nowrap transition-colors duration-120 ease-out';

function ignore(event: MouseEvent) {
  event.preventDefault();
  event.stopPropagation();
}

/**
 * Keeps the focus on a button that becomes disabled while it has it, such as "Next page" on the last page: until the
 * focus leaves, the button is `aria-disabled` and does nothing. With `disabled`, the browser would drop the focus.
 */
function useFocusKept({ disabled, onFocus, onBlur, ...rest }: ComponentProps<'button'>): ComponentProps<'button'> {
  const [isFocused, setFocused] = useState(false);
  const props = {
    ...rest,
    onFocus(event: FocusEvent<HTMLButtonElement>) {
      setFocused(true);
      onFocus?.(event);
    },
    onBlur(event: FocusEvent<HTMLButtonElement>) {
      // It remains the active element while only the window loses the focus.
      if (document.activeElement !== event.currentTarget) setFocused(false);
      onBlur?.(event);
    },
  };
  if (!disabled || !isFocused) return { ...props, disabled };
  return { ...props, 'aria-disabled': true, onClick: ignore, onKeyDown: undefined, onPointerDown: undefined };
}

interface Look {
  variant?: ButtonVariant;
  size?: ButtonSize;
  /** Renders its only child, such as a link, in the style of a button. */
  asChild?: boolean;
}

export interface ButtonProps extends ComponentProps<'button'>, Look {
  icon?: LucideIcon;
  endIcon?: LucideIcon;
}

export function Button({
  variant = 'default',
  size = 32,
  icon: Icon,
  endIcon: EndIcon,
  asChild = false,
  className,
  children,
  type,
  ...rest
}: ButtonProps) {
  const Element = asChild ? Slot.Root : 'button';
  const props = useFocusKept(rest);
  return (
    <Element
      {...(asChild ? {} : { type: type ?? 'button' })}
      className={cn(base, variants[variant], offLooks[variant], heights[size], paddings[size], className)}
      {...props}
    >
      {Icon && <Icon aria-hidden className="size-4 shrink-0" />}
      <Slot.Slottable>{children}</Slot.Slottable>
      {EndIcon && <EndIcon aria-hidden className="size-3.5 shrink-0" />}
    </Element>
  );
}

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'>, Look {
  icon: LucideIcon;
  /** Accessible name and tooltip. */
  label: string;
  /** Equivalent single-key shortcut, shown in the tooltip. */
  shortcut?: string | undefined;
}

export function IconButton({
  variant = 'quiet',
  size = 32,
  icon: Icon,
  label,
  shortcut,
  asChild: _asChild,
  className,
  type,
  ...rest
}: IconButtonProps) {
  const props = useFocusKept(rest);
  return (
    <button
      type={type ?? 'button'}
      aria-label={label}
      data-tip={label}
      data-tip-keys={shortcut}
      className={cn(base, variants[variant], offLooks[variant], heights[size], squares[size], className)}
      {...props}
    >
      <Icon aria-hidden className="size-4 shrink-0" />
    </button>
  );
}
