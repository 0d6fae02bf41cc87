import { ChartColumn, Table2 } from 'lucide-react';
import { type ReactNode, Suspense, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { cn } from '../cn';
import { lazyPart } from '../lazy-part';
import { Panel, PanelHead } from '../panel';
import { Skeleton } from '../skeleton';
import { Segmented } from '../tabs';
import { type ChartData, seriesLook } from './chart-data';
import { Swatch } from './patterns';
import type { PlotKind, PlotProps } from './plot';

interface OwnPlotProps extends PlotProps {
  onMissing: () => void;
}

const Plot = lazyPart<OwnPlotProps>(
  () => import('./plot'),
  ({ onMissing }) => onMissing(),
);

export type ChartView = 'chart' | 'table';

interface ChartPanelProps extends Omit<ChartTableProps, 'marked' | 'onMark'> {
  kind: PlotKind;
  note?: ReactNode;
  /** What the chart shows, in a sentence. */
  summary: string;
  height?: number;
  tools?: ReactNode;
  /** Both beside each other where there is room, for a page that is about these numbers. */
  both?: boolean;
  /** The page has a table of these figures already. */
  bare?: boolean;
  onPick?: PlotProps['onPick'];
  className?: string;
}

/** A chart with its legend, and the same numbers as a table: one at a time, or both. Paper gets both. */
export function ChartPanel(props: ChartPanelProps) {
  const { kind, note, summary, height = 260, tools, both = false, bare = false, onPick, className, ...table } = props;
  const { data, title, format } = table;
  const { t } = useTranslation('analytics');
  const [view, setView] = useState<ChartView>('chart');
  const [marked, setMarked] = useState<string>();
  const id = useId();
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
                onChange={setView}
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
            <Suspense fallback={<PlotSkeleton height={height} />}>
              <Plot
                {...{ kind, data, title, height, format, onPick, marked }}
                onMark={setMarked}
                onMissing={() => setView('table')}
              />
            </Suspense>
          </div>
          <ChartLegend series={data.series} />
        </figure>
        <div hidden={bare} className={`min-w-0 ${both ? 'border-line xl:border-s' : 'border-t border-line'} ${hides('table')}`}>
          <ChartTable {...table} marked={marked} onMark={setMarked} />
        </div>
      </div>
    </Panel>
  );
}

const BARS = ['h-3/5', 'h-2/5', 'h-4/5', 'h-full', 'h-3/4', 'h-4/5', 'h-2/3'];

/** As high as the chart that comes, so that nothing moves. */
export function PlotSkeleton({ height }: { height: number }) {
  return (
    <div aria-hidden style={{ height }} className="flex items-end gap-4 px-8 pt-4 pb-8">
      {BARS.map((bar, index) => (
        <Skeleton key={index} className={`flex-1 ${bar}`} />
      ))}
    </div>
  );
}

/** The names of the series in the colour of text, with what each is drawn with. */
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
  /** Names the table. */
  title: string;
  /** What the categories are. */
  heading: string;
  format: (value: number) => string;
  /** Adds the series up; for counts, not for rates. */
  totals?: boolean;
  /** Where the deliveries behind a figure are; a category or series of undefined stands for all of them. */
  linkTo?: ((category: string | undefined, series: string | undefined) => string | undefined) | undefined;
  /** The category that is pointed at in the chart. */
  marked?: string | undefined;
  onMark?: (category: string | undefined) => void;
}

const sum = (values: readonly (number | null)[]) => values.reduce<number>((all, value) => all + (value ?? 0), 0);

/** The numbers of a chart. Each figure leads to what it counts. */
function ChartTable(props: ChartTableProps) {
  const { data, title, heading, format, totals = false, linkTo, marked, onMark } = props;
  const { t } = useTranslation('analytics');
  const { categories, series } = data;
  const withTotal = totals && series.length > 1;

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

  const head = 'sticky top-0 bg-raised px-3 py-2 align-bottom font-medium text-muted first:ps-4 last:pe-4';
  const cell = 'px-3 text-end tabular-nums first:ps-4 last:pe-4';
  return (
    // A region that scrolls must be reachable by keys.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div role="group" aria-label={title} tabIndex={0} className="max-h-96 min-w-0 overflow-auto focus-visible:-outline-offset-2 print:max-h-none print:overflow-visible">
      <table className="w-full text-sm">
        <caption className="sr-only">{title}</caption>
        <thead>
          <tr className="text-xs">
            <th scope="col" className={cn(head, 'text-start')}>
              {heading}
            </th>
            {series.map(({ id, label }) => (
              <th key={id} scope="col" className={cn(head, 'text-end')}>
                {label}
              </th>
            ))}
            {withTotal && (
              <th scope="col" className={cn(head, 'text-end')}>
                {t('total')}
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {categories.map((category, index) => (
            <tr
              key={category.id}
              className={cn('h-8 border-t border-line', marked === category.id && 'bg-accent-soft')}
              onMouseEnter={() => onMark?.(category.id)}
              onMouseLeave={() => onMark?.(undefined)}
            >
              <th scope="row" className="px-3 text-start font-normal whitespace-nowrap first:ps-4">
                {category.label}
              </th>
              {series.map(({ id, values }) => (
                <td key={id} className={cell}>
                  {figure(values[index] ?? null, category.id, id)}
                </td>
              ))}
              {withTotal && (
                <td className={cn(cell, 'font-semibold')}>
                  {figure(sum(series.map(({ values }) => values[index] ?? null)), category.id, undefined, true)}
                </td>
              )}
            </tr>
          ))}
        </tbody>
        {totals && categories.length > 1 && (
          <tfoot>
            <tr className="h-8 border-t border-line2 font-semibold">
              <th scope="row" className="px-3 text-start first:ps-4">
                {t('total')}
              </th>
              {series.map(({ id, values }) => (
                <td key={id} className={cell}>
                  {figure(sum(values), undefined, id, true)}
                </td>
              ))}
              {withTotal && (
                <td className={cell}>
                  {figure(sum(series.map(({ values }) => sum(values))), undefined, undefined, true)}
                </td>
              )}
            </tr>
          </tfoot>
        )}
      </table>
    </div>
  );
}
