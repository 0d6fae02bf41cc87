import { Tooltip as Radix } from 'radix-ui';
import type { ReactElement, ReactNode } from 'react';

const DELAY_MS = 400;

interface TooltipProps {
  label: ReactNode;
  side?: 'top' | 'right' | 'bottom' | 'left';
  /** One element that can take the focus. */
  children: ReactElement;
}

/** Brings its own provider, so that pages without tooltips do not load their code. */
export function Tooltip({ label, side = 'top', children }: TooltipProps) {
  return (
    <Radix.Provider delayDuration={DELAY_MS}>
      <Radix.Root>
        <Radix.Trigger asChild>{children}</Radix.Trigger>
        <Radix.Portal>
          <Radix.Content
            side={side}
            sideOffset={6}
            collisionPadding={8}
            className="z-50 max-w-64 animate-appear rounded-control bg-inverse px-2 py-1 text-xs text-inverse-fg shadow-float"
          >
            {label}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  );
}
