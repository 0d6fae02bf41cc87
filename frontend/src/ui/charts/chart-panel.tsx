import { ChartColumn, Table2 } from 'lucide-react';
import { memo, type ReactNode, Suspense, useCallback, useId, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { cn } from '../cn';
import { lazyPart } from '../lazy-part';
import { Panel, PanelHead } from '../panel';
import { Skeleton } from '../skeleton';
import { Table, type TableColumn } from '../table';
import { Segmented } from '../tabs';
import { type ChartData, seriesLook } from './chart-data';
import { Swatch } from './patterns';
import type { PlotKind, PlotProps } from './plot';

interface OwnPlotProps extends PlotProps {
  onMissing: () => void;
}

// Memoized, because the category that is hovered changes with each step of the mouse.
const Plot = memo(
  lazyPart<OwnPlotProps>(
    () => import('./plot'),
    ({ onMissing }) => onMissing(),
  ),
);

export type ChartView = 'chart' | 'table';

interface ChartPanelProps extends Omit<ChartTableProps, 'marked' | 'onMark'> {
  kind: PlotKind;
  note?: ReactNode;
  /** One-sentence summary of the chart. */
  summary: string;
  height?: number;
  tools?: ReactNode;
  /** Shows chart and table side by side if there is room. */
  both?: boolean;
  /** Leaves out the table, if the page has one already. */
  bare?: boolean;
  onPick?: PlotProps['onPick'];
  className?: string;
}

/** A chart with legend, and its figures as a table: one at a time, or both. Printing includes both. */
export function ChartPanel(props: ChartPanelProps) {
  const { kind, note, summary, height = 260, tools, both = false, bare = false, onPick, className, ...table } = props;
  const { data, title, format } = table;
  const { t } = useTranslation('analytics');
  const [view, setView] = useState<ChartView>('chart');
  const [isMissing, setMissing] = useState(false);
  const [marked, setMarked] = useState<string>();
  const id = useId();
  const showTable = useCallback(() => {
    setView('table');
    setMissing(true);
  }, []);
  const hides = (other: ChartView) => (view === other ? '' : both ? 'max-xl:hidden print:block' : 'hidden print:block');
  return (
    <Panel aria-labelledby={id} className={className}>
      <PanelHead
        id={id}
        title={title}
        note={note}
        tools={
          <>
            {tools}
            {!bare && (
              <Segmented
                label={t('view.label')}
                className={both ? 'xl:hidden print:hidden' : 'print:hidden'}
                value={view}
                onChange={(chosen) => {
                  setView(chosen);
                  setMissing(false);
                }}
                segments={[
                  { value: 'chart', label: t('view.chart'), icon: ChartColumn },
                  { value: 'table', label: t('view.table'), icon: Table2 },
                ]}
              />
            )}
          </>
        }
      />
      <div className={both ? 'grid xl:grid-cols-2' : ''}>
        <figure className={`min-w-0 print:break-inside-avoid ${hides('chart')}`}>
          <figcaption className="sr-only">{summary}</figcaption>
          <div className="pe-2 pb-2 ps-1 print:[&_svg]:h-auto print:[&_svg]:max-w-full">
            {!isMissing && (
              <Suspense fallback={<PlotSkeleton height={height} />}>
                <Plot
                  {...{ kind, data, title, height, format, onPick }}
                  onMark={setMarked}
                  onMissing={showTable}
                />
              </Suspense>
            )}
          </div>
          <ChartLegend series={data.series} />
        </figure>
        {!bare && (
          <div className={`min-w-0 ${both ? 'border-line xl:border-s' : 'border-t border-line'} ${hides('table')}`}>
            <ChartTable {...table} marked={marked} onMark={setMarked} />
          </div>
        )}
      </div>
    </Panel>
  );
}

const BARS = ['h-3/5', 'h-2/5', 'h-4/5', 'h-full', 'h-3/4', 'h-4/5', 'h-2/3'];

/** Placeholder with the height of the chart, so that nothing shifts when the chart has loaded. */
export function PlotSkeleton({ height }: { height: number }) {
  return (
    <div aria-hidden style={{ height }} className="flex items-end gap-4 px-8 pt-4 pb-8">
      {BARS.map((bar, index) => (
        <Skeleton key={index} className={`flex-1 ${bar}`} />
      ))}
    </div>
  );
}

/** Legend with text in the normal color beside a swatch of each series. */
function ChartLegend({ series }: Pick<ChartData, 'series'>) {
  const id = useId();
  if (series.length < 2) return null;
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 px-4 pb-3 text-xs">
      {series.map((entry, index) => (
        <li key={entry.id} className="flex min-w-0 items-center gap-1.5">
          <Swatch id={`${id}-${index}`} look={seriesLook(entry.id, index, series.length)} />
          <span className="truncate">{entry.label}</span>
        </li>
      ))}
    </ul>
  );
}

interface ChartTableProps {
  data: ChartData;
  /** Caption of the table. */
  title: string;
  /** Name of the category axis. */
  heading: string;
  format: (value: number) => string;
  /** Whether to add totals: for counts, not for rates. */
  totals?: boolean;
  /** Returns the link to the deliveries behind a figure; an undefined category or series means all of them. */
  linkTo?: ((category: string | undefined, series: string | undefined) => string | undefined) | undefined;
  /** The category hovered in the chart. */
  marked: string | undefined;
  onMark: (category: string | undefined) => void;
}

const sum = (values: readonly (number | null)[]) => values.reduce<number>((all, value) => all + (value ?? 0), 0);

/** One category of a chart, and the index of its values in each series. */
type Figures = ChartData['categories'][number] & { index: number };

interface ColumnOptions extends Pick<ChartTableProps, 'data' | 'heading' | 'format' | 'linkTo'> {
  totals: boolean;
  /** Heading of the totals. */
  total: string;
}

function columnsOf({ data: { categories, series }, heading, format, totals, total, linkTo }: ColumnOptions) {
  const figure = (value: number | null, category: string | undefined, of: string | undefined, strong = false) => {
    const text = value === null ? (totals ? format(0) : '–') : format(value);
    const to = value ? linkTo?.(category, of) : undefined;
    return to ? (
      <Link to={to} className={cn('rounded-box hover:underline', strong ? 'text-fg' : 'text-accent')}>
        {text}
      </Link>
    ) : (
      text
    );
  };

  const totalOf = (index: number) => sum(series.map(({ values }) => values[index] ?? null));
  const withFoot = totals && categories.length > 1;
  const columns: TableColumn<Figures>[] = [
    {
      id: 'category',
      header: heading,
      render: ({ label }) => label,
      ...(withFoot && { footer: total }),
      names: true,
    },
    ...series.map(({ id, label, values }) => ({
      // The prefix keeps the ids apart from those of the other two columns, whatever the series are called.
      id: `series ${id}`,
      header: label,
      render: ({ id: category, index }: Figures) => figure(values[index] ?? null, category, id),
      ...(withFoot && { footer: figure(sum(values), undefined, id, true) }),
      end: true,
    })),
  ];
  if (totals && series.length > 1) {
    columns.push({
      id: 'total',
      header: total,
      render: ({ id: category, index }) => figure(totalOf(index), category, undefined, true),
      ...(withFoot && { footer: figure(sum(series.map(({ values }) => sum(values))), undefined, undefined, true) }),
      end: true,
      cellClassName: 'font-semibold',
    });
  }
  return columns;
}

/** The figures of a chart, with links to the counted deliveries. */
function ChartTable({ data, title, heading, format, totals = false, linkTo, marked, onMark }: ChartTableProps) {
  const { t } = useTranslation('analytics');
  const total = t('total');
  const columns = useMemo(
    () => columnsOf({ data, heading, format, totals, total, linkTo }),
    [data, heading, format, totals, total, linkTo],
  );
  const rows = useMemo(() => data.categories.map((category, index): Figures => ({ ...category, index })), [data]);
  const hover = useCallback((category: Figures | undefined) => onMark(category?.id), [onMark]);
  return (
    // Scroll areas must be reachable by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div role="group" aria-label={title} tabIndex={0} className="max-h-96 min-w-0 overflow-auto focus-visible:-outline-offset-2 print:max-h-none print:overflow-visible">
      <Table
        look="figures"
        caption={title}
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        markedKey={marked}
        onHover={hover}
      />
    </div>
  );
}
