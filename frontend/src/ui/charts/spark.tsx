interface SparkProps {
  values: readonly number[];
  color: string;
  className?: string;
}

const WIDTH = 60;
const HEIGHT = 22;
const EDGE = 3;

/** A sparkline. It is decorative, since the number at its end is shown as text. */
export function Spark({ values, color, className }: SparkProps) {
  if (values.length < 2) return null;
  const least = Math.min(...values);
  const spread = Math.max(...values) - least || 1;
  const points = values.map((value, index) => ({
    x: EDGE + (index / (values.length - 1)) * (WIDTH - 2 * EDGE),
    y: HEIGHT - EDGE - ((value - least) / spread) * (HEIGHT - 2 * EDGE),
  }));
  const last = points.at(-1);
  return (
    <svg aria-hidden width={WIDTH} height={HEIGHT} className={className}>
      <polyline
        points={points.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ')}
        fill="none"
        stroke={color}
        strokeWidth={1.5}
        strokeLinejoin="round"
        strokeLinecap="round"
      />
      {last && <circle cx={last.x} cy={last.y} r={2.2} fill={color} />}
    </svg>
  );
}
