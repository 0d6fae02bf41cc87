import { type ChartFill, colorValue, type SeriesLook } from './chart-data';

const SIZE = 8;

/** Pattern lines in the panel's color over the series color. */
const marks: Record<Exclude<ChartFill, 'solid'>, string> = {
  diagonal: 'M-2 2 L2 -2 M0 8 L8 0 M6 10 L10 6',
  back: 'M-2 6 L2 10 M0 0 L8 8 M6 -2 L10 2',
  lines: 'M0 4 H8',
  upright: 'M4 0 V8',
  cross: 'M0 0 L8 8 M8 0 L0 8',
  grid: 'M0 4 H8 M4 0 V8',
  dots: '',
};

interface PatternProps {
  id: string;
  look: SeriesLook;
}

/** Defines the SVG fill pattern of a series. */
export function FillPattern({ id, look: { color, fill } }: PatternProps) {
  return (
    <pattern id={id} width={SIZE} height={SIZE} patternUnits="userSpaceOnUse">
      <rect width={SIZE} height={SIZE} fill={colorValue(color)} />
      {fill === 'dots' && <circle cx={4} cy={4} r={1.4} fill="var(--surface)" />}
      {fill !== 'solid' && fill !== 'dots' && (
        <path d={marks[fill]} fill="none" stroke="var(--surface)" strokeWidth={1.2} />
      )}
    </pattern>
  );
}

/** The pattern as a square beside the name of a series. */
export function Swatch({ id, look }: PatternProps) {
  return (
    <svg aria-hidden width={12} height={12} className="shrink-0 rounded-[3px]">
      <defs>
        <FillPattern id={id} look={look} />
      </defs>
      <rect width={12} height={12} fill={`url(#${id})`} />
    </svg>
  );
}
