import type { Density } from './use-column-settings';

const oneLine: Record<Density, string> = {
  compact: 'h-[30px]',
  default: 'h-9',
  comfortable: 'h-11',
};

const twoLines: Record<Density, string> = {
  compact: 'h-10',
  default: 'h-11',
  comfortable: 'h-13',
};

/** The class of a row's height; skeletons and rows share it, so that nothing jumps. */
export function rowHeight(density: Density, hasTwoLines = false): string {
  return (hasTwoLines ? twoLines : oneLine)[density];
}
