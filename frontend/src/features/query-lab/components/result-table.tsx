import { useTranslation } from 'react-i18next';
import type { AnalyticsRow } from '@/analytics/query';
import { formatCount } from '@/lib/numbers';
import { cn } from '@/ui/cn';
import { Panel } from '@/ui/panel';
import type { ResultColumn } from '../results';

/** More rows are for the file. */
const MOST_ROWS = 500;

interface ResultTableProps {
  columns: readonly ResultColumn[];
  rows: readonly AnalyticsRow[];
  textOf: (column: ResultColumn, row: AnalyticsRow) => string;
}

export function ResultTable({ columns, rows, textOf }: ResultTableProps) {
  const { t } = useTranslation('query-lab');
  const shown = rows.slice(0, MOST_ROWS);
  const align = ({ kind }: ResultColumn) => (kind === 'measure' ? 'text-right tabular-nums' : 'text-left');
  const edge = 'px-3 first:pl-4 last:pr-4';
  return (
    <Panel className="overflow-hidden">
      {/* A region that scrolls must be reachable by keys. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div role="group" aria-label={t('result')} tabIndex={0} className="max-h-[36rem] overflow-auto focus-visible:-outline-offset-2">
        <table className="w-full text-sm">
          <caption className="sr-only">{t('result')}</caption>
          <thead>
            <tr className="text-xs text-muted">
              {columns.map((column) => (
                <th
                  key={column.key}
                  scope="col"
                  data-tip={column.key}
                  className={cn('sticky top-0 h-9 border-b border-line bg-raised font-medium', edge, align(column))}
                >
                  {column.title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, index) => (
              <tr key={index} className="h-9 border-b border-line last:border-0">
                {columns.map((column) => (
                  <td key={column.key} className={cn(edge, align(column))}>
                    {textOf(column, row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > shown.length && (
        <p className="border-t border-line px-4 py-2 text-xs text-muted">
          {t('firstRows', { shown: formatCount(shown.length), all: formatCount(rows.length) })}
        </p>
      )}
    </Panel>
  );
}
