import { ChartColumn, Table2 } from 'lucide-react';
import { type ReactNode, Suspense, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { lazyPart } from '../lazy-part';
import { Panel, PanelHead } from '../panel';
import { Segmented } from '../segmented';
import { Skeleton } from '../skeleton';
import { ChartLegend } from './chart-legend';
import { ChartTable, type ChartTableProps } from './chart-table';
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
          <div className="pr-2 pb-2 pl-1 print:[&_svg]:h-auto print:[&_svg]:max-w-full">
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
        <div hidden={bare} className={`min-w-0 ${both ? 'border-line xl:border-l' : 'border-t border-line'} ${hides('table')}`}>
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
