/** The look shared by text boxes and selects. */
export const controlClasses =
  'w-full min-w-0 rounded-control border border-field bg-surface text-fg transition-colors duration-120 ease-out [&[readonly]]:bg-raised disabled:border-line disabled:bg-raised disabled:text-muted aria-invalid:border-bad focus-visible:-outline-offset-1 focus-visible:outline-accent';

export type ControlSize = 32 | 36 | 40;

export const controlHeights: Record<ControlSize, string> = {
  32: 'h-8 text-sm pointer-coarse:h-11 pointer-coarse:text-touch',
  36: 'h-9 text-sm pointer-coarse:h-11 pointer-coarse:text-touch',
  40: 'h-10 text-base pointer-coarse:h-11 pointer-coarse:text-touch',
};
