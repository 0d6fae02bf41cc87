// Draws a chart. Loaded with the first chart, since the library is larger than a page.
import { useId, useState } from 'react';
import { createPortal } from 'react-dom';
import {
  Area,
  Bar,
  BarChart,
  CartesianGrid,
  ComposedChart,
  Line,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  type XAxisTickContentProps,
  YAxis,
} from 'recharts';
import { axisNames, MAX_PLACED, valueTicks } from './axes';
import { type ChartData, colorValue, seriesLook, type SeriesLook } from './chart-data';
import { FillPattern, Swatch } from './patterns';

export type PlotKind = 'stacked' | 'bars' | 'line' | 'area';

export interface PlotProps {
  kind: PlotKind;
  data: ChartData;
  /** Accessible name of the chart. */
  title: string;
  height: number;
  format: (value: number) => string;
  /** Called with the clicked part of a bar. */
  onPick?: ((category: string, series: string) => void) | undefined;
  onMark?: ((category: string | undefined) => void) | undefined;
}

type PlotRow = Record<string, string | number | null>;

/** Series are keyed by position, since recharts interprets names as paths. */
const keyOf = (index: number) => `s${index}`;

/** Size that is assumed until recharts has measured its container. */
const FIRST_SIZE = { width: 640, height: 260 };

const tick = { fill: 'var(--muted)', fontSize: 12 };

/**
 * Returns the settings of the category axis. With up to `MAX_PLACED` categories, `axisNames` returns the names. With
 * more, recharts chooses which names to show.
 */
function categoryTicks(data: ChartData) {
  const { categories } = data;
  if (categories.length > MAX_PLACED) {
    const labels = new Map(categories.map(({ id, label }) => [id, label]));
    return {
      interval: 'preserveStartEnd',
      // The axis may skip ticks, so find the label by the category and not by the index.
      tickFormatter: (value: unknown) => labels.get(String(value)) ?? '',
      tick,
    } as const;
  }
  return {
    interval: 0,
    tick: ({ width, x, y, payload }: XAxisTickContentProps) => (
      <text x={x} y={y} dy="0.71em" textAnchor="middle" {...tick}>
        {axisNames(data, Number(width)).get(String(payload.value))}
      </text>
    ),
  } as const;
}

export default function Plot(props: PlotProps) {
  const { kind, data, title, height, format, onPick, onMark } = props;
  const id = useId();
  const [announcer, setAnnouncer] = useState<HTMLElement | null>(null);
  const { categories, series } = data;
  const rows = categories.map(({ id: category, label }, index): PlotRow => ({
    category,
    label,
    ...Object.fromEntries(series.map(({ values }, at) => [keyOf(at), values[index] ?? null])),
  }));
  const looks = series.map((entry, index) => seriesLook(entry.id, index, series.length));
  const patternId = (index: number) => `${id}-${index}`;
  const isBars = kind === 'stacked' || kind === 'bars';
  const Chart = isBars ? BarChart : ComposedChart;
  const isCrowded = categories.length > MAX_SEPARATE;

  return (
    <>
      <p ref={setAnnouncer} aria-live="polite" className="sr-only" />
      <ResponsiveContainer width="100%" height={height} initialDimension={FIRST_SIZE}>
        <Chart
          data={rows}
          title={title}
          // The room on the left is for a digit that recharts does not account for when figures grow.
          margin={{ top: 8, right: 16, bottom: 0, left: 8 }}
          barCategoryGap={isCrowded ? 0 : '24%'}
          onMouseMove={({ activeLabel, activeTooltipIndex }) =>
            onMark?.(activeLabel === undefined ? undefined : categories[Number(activeTooltipIndex)]?.id)
          }
          onMouseLeave={() => onMark?.(undefined)}
        >
          <defs>
            {looks.map((look, index) => (
              <FillPattern key={series[index]?.id} id={patternId(index)} look={look} />
            ))}
          </defs>
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis
            dataKey="category"
            tickLine={false}
            axisLine={{ stroke: 'var(--line2)' }}
            {...categoryTicks(data)}
            minTickGap={12}
          />
          <YAxis
            width="auto"
            tickLine={false}
            axisLine={false}
            tick={tick}
            tickFormatter={(value: number) => format(value)}
            {...valueTicks(data, kind === 'stacked' || kind === 'area')}
          />
          <Tooltip
            isAnimationActive={false}
            cursor={{ fill: 'var(--hover)', stroke: 'var(--line2)' }}
            content={<PlotTip {...{ rows, data, format, id, announcer }} />}
          />
          {series.map((entry, index) =>
            drawSeries({
              kind,
              name: entry.label,
              key: entry.id,
              index,
              look: looks[index],
              fill: `url(#${patternId(index)})`,
              isCrowded,
              onPick: onPick && ((at) => categories[at] && onPick(categories[at].id, entry.id)),
            }),
          )}
        </Chart>
      </ResponsiveContainer>
    </>
  );
}

/** With more categories, a bar is too narrow for an outline and a gap, which would hide it. */
const MAX_SEPARATE = 60;

const DASHES = ['', '6 3', '2 3', '8 3 2 3', '12 4', '4 2'];

interface Drawn {
  kind: PlotKind;
  name: string;
  key: string;
  index: number;
  look: SeriesLook | undefined;
  fill: string;
  isCrowded: boolean;
  onPick: ((category: number) => void) | undefined;
}

/** Draws one series. This is not a component, because recharts requires its parts as direct children of the chart. */
function drawSeries({ kind, name, key, index, look, fill, isCrowded, onPick }: Drawn) {
  if (!look) return null;
  const common = { dataKey: keyOf(index), name, isAnimationActive: false } as const;
  const stroke = colorValue(look.color);
  if (kind === 'line') {
    return (
      <Line
        key={key}
        {...common}
        stroke={stroke}
        strokeWidth={2}
        strokeDasharray={DASHES[index % DASHES.length] ?? ''}
        dot={{ r: 2.5, fill: stroke, strokeDasharray: '' }}
        connectNulls
      />
    );
  }
  if (kind === 'area') {
    return <Area key={key} {...common} {...{ stroke, fill }} stackId="all" fillOpacity={0.75} connectNulls />;
  }
  return (
    <Bar
      key={key}
      {...common}
      {...(kind === 'stacked' && { stackId: 'all' })}
      fill={fill}
      stroke="var(--surface)"
      strokeWidth={isCrowded ? 0 : 1}
      maxBarSize={56}
      className={onPick ? 'cursor-pointer' : ''}
      onClick={(_, at) => onPick?.(at)}
    />
  );
}

interface PlotTipProps extends Pick<PlotProps, 'data' | 'format'> {
  rows: readonly PlotRow[];
  id: string;
  /** Live region, which must exist before its first text. The tooltip itself is hidden until then. */
  announcer: HTMLElement | null;
  /** Set by recharts: whether a category is hovered, and which. */
  active?: boolean;
  label?: string | number;
}

function PlotTip({ rows, data: { series }, format, id, announcer, active, label }: PlotTipProps) {
  const row = active ? rows.find(({ category }) => category === label) : undefined;
  if (!row) return null;
  const values = series.flatMap((entry, index) => {
    const value = row[keyOf(index)];
    return typeof value === 'number' ? [{ entry, index, text: format(value) }] : [];
  });
  return (
    <div className="min-w-36 rounded-control border border-line2 bg-surface px-3 py-2 text-xs shadow-float">
      <p className="mb-1 font-semibold">{row['label']}</p>
      <ul className="flex flex-col gap-0.5">
        {values.map(({ entry, index, text }) => (
          <li key={entry.id} className="flex items-center gap-1.5">
            <Swatch id={`${id}-tip-${index}`} look={seriesLook(entry.id, index, series.length)} />
            <span className="flex-1">{entry.label}</span>
            <span className="ps-3 font-medium tabular-nums">{text}</span>
          </li>
        ))}
      </ul>
      {announcer &&
        createPortal(
          `${row['label']}: ${values.map(({ entry, text }) => `${entry.label} ${text}`).join(', ')}`,
          announcer,
        )}
    </div>
  );
}
