import { type PointerEvent, type ReactNode, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { cn } from '@/ui/cn';

export const SHEET_STEPS = ['closed', 'half', 'full'] as const;
export type SheetStep = (typeof SHEET_STEPS)[number];

const heights: Record<SheetStep, string> = {
  closed: 'h-16',
  half: 'h-1/2',
  full: 'h-[calc(100%-8px)]',
};

/** Shorter is a tap. */
const DRAG_PX = 24;

interface BottomSheetProps {
  label: string;
  step: SheetStep;
  onStep: (step: SheetStep) => void;
  children: ReactNode;
}

/** On a phone, what stands beside the map lies over its lower part: closed, half or full. */
export function BottomSheet({ label, step, onStep, children }: BottomSheetProps) {
  const { t } = useTranslation('tracker');
  const from = useRef<number>(undefined);
  const at = SHEET_STEPS.indexOf(step);
  const next = SHEET_STEPS[(at + 1) % SHEET_STEPS.length] ?? 'half';

  function drop({ clientY }: PointerEvent) {
    const moved = from.current === undefined ? 0 : from.current - clientY;
    if (Math.abs(moved) < DRAG_PX) return;
    const target = SHEET_STEPS[Math.min(SHEET_STEPS.length - 1, Math.max(0, at + Math.sign(moved)))];
    if (target) onStep(target);
  }
  return (
    <section
      aria-label={label}
      className={cn(
        'absolute inset-x-0 bottom-0 z-10 flex flex-col rounded-t-palette border-t border-line2 bg-surface shadow-float',
        heights[step],
      )}
    >
      <button
        type="button"
        aria-label={t(`sheet.${next}`)}
        onPointerDown={({ clientY }) => (from.current = clientY)}
        onPointerUp={drop}
        onClick={({ clientY, detail }) => {
          const moved = detail === 0 || from.current === undefined ? 0 : Math.abs(from.current - clientY);
          if (moved < DRAG_PX) onStep(next);
        }}
        className="flex h-6 w-full shrink-0 touch-none items-center justify-center"
      >
        <span aria-hidden className="h-1 w-9 rounded-full bg-line2" />
      </button>
      <div className="flex min-h-0 flex-1 flex-col">{children}</div>
    </section>
  );
}
