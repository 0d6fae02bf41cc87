import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { cn } from '../cn';
import type { ChartData } from './chart-data';

export interface ChartTableProps {
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
export function ChartTable(props: ChartTableProps) {
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

  const head = 'sticky top-0 bg-raised px-3 py-2 align-bottom font-medium text-muted first:pl-4 last:pr-4';
  const cell = 'px-3 text-right tabular-nums first:pl-4 last:pr-4';
  return (
    // A region that scrolls must be reachable by keys.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div role="group" aria-label={title} tabIndex={0} className="max-h-96 min-w-0 overflow-auto focus-visible:-outline-offset-2 print:max-h-none print:overflow-visible">
      <table className="w-full text-sm">
        <caption className="sr-only">{title}</caption>
        <thead>
          <tr className="text-xs">
            <th scope="col" className={cn(head, 'text-left')}>
              {heading}
            </th>
            {series.map(({ id, label }) => (
              <th key={id} scope="col" className={cn(head, 'text-right')}>
                {label}
              </th>
            ))}
            {withTotal && (
              <th scope="col" className={cn(head, 'text-right')}>
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
              <th scope="row" className="px-3 text-left font-normal whitespace-nowrap first:pl-4">
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
              <th scope="row" className="px-3 text-left first:pl-4">
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
