import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { AnalyticsRow } from '@/analytics/query';
import { formatCount } from '@/lib/numbers';
import { cn } from '@/ui/cn';
import { Panel, PanelHead } from '@/ui/panel';
import type { ShownColumn } from '../definition';

/** More rows are for the file: a table of thousands is read by nobody. */
export const MOST_ROWS = 200;

interface ReportRowsProps {
  columns: readonly ShownColumn[];
  rows: readonly AnalyticsRow[];
  textOf: (column: ShownColumn, row: AnalyticsRow) => string;
  linkTo: (column: ShownColumn, row: AnalyticsRow) => string | undefined;
}

/** The rows of a report that has more columns than a chart can show. */
export function ReportRows({ columns, rows, textOf, linkTo }: ReportRowsProps) {
  const { t } = useTranslation('reports');
  const shown = rows.slice(0, MOST_ROWS);
  const align = ({ kind }: ShownColumn) => (kind === 'measure' ? 'text-right tabular-nums' : 'text-left');
  const edge = 'px-3 first:pl-4 last:pr-4';
  return (
    <Panel aria-labelledby="report-rows" className="overflow-hidden">
      <PanelHead
        id="report-rows"
        title={t('rows')}
        note={
          rows.length > shown.length
            ? t('firstRows', { shown: formatCount(shown.length), all: formatCount(rows.length) })
            : t('rowCount', { count: rows.length, shown: formatCount(rows.length) })
        }
      />
      {/* A region that scrolls must be reachable by keys. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div role="group" aria-label={t('rows')} tabIndex={0} className="max-h-[36rem] overflow-auto focus-visible:-outline-offset-2 print:max-h-none print:overflow-visible">
        <table className="w-full text-sm">
          <caption className="sr-only">{t('rows')}</caption>
          <thead>
            <tr className="text-xs text-muted">
              {columns.map((column) => (
                <th
                  key={column.key}
                  scope="col"
                  className={cn('sticky top-0 h-9 border-y border-line bg-raised font-medium', edge, align(column))}
                >
                  {column.title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, index) => (
              <tr key={index} className="h-9 border-b border-line last:border-0">
                {columns.map((column) => {
                  const text = textOf(column, row);
                  const to = linkTo(column, row);
                  return (
                    <td key={column.key} className={cn(edge, align(column))}>
                      {to ? (
                        <Link to={to} className="rounded-box text-accent hover:underline">
                          {text}
                        </Link>
                      ) : (
                        text
                      )}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}
