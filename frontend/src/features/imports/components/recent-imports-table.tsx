import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { formatCount } from '@/lib/numbers';
import { routes } from '@/routing/routes';
import { cn } from '@/ui/cn';
import { DateTime } from '@/ui/date-time';
import { StatusChip } from '@/ui/status-chip';
import type { RecentImport } from '../queries';

interface RecentImportsTableProps {
  labelledBy: string;
  logs: readonly RecentImport[];
}

const head = 'h-9 px-3 text-xs font-medium whitespace-nowrap text-muted first:pl-4 last:pr-4';
const cell = 'px-3 first:pl-4 last:pr-4';
const number = 'text-right tabular-nums';

const columns = [
  { id: 'file' },
  { id: 'source' },
  { id: 'status' },
  { id: 'rows', end: true },
  { id: 'created', end: true },
  { id: 'updated', end: true },
  { id: 'refused', end: true },
  { id: 'by' },
  { id: 'at' },
] as const;

export function RecentImportsTable({ labelledBy, logs }: RecentImportsTableProps) {
  const { t } = useTranslation('imports');
  return (
    <div
      role="region"
      aria-labelledby={labelledBy}
      tabIndex={0}
      className="overflow-x-auto focus-visible:-outline-offset-2"
    >
      <table className="w-full min-w-[960px] text-left text-sm">
        <thead className="bg-raised">
          <tr>
            {columns.map((column) => (
              <th
                key={column.id}
                scope="col"
                className={cn(head, 'end' in column && 'text-right')}
              >
                {t(`recent.columns.${column.id}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {logs.map((log) => {
            const href = routes.uploadedDetails({ uploadLog: log.id });
            return (
              <tr key={log.id} className="h-10 border-t border-line hover:bg-raised">
                <th scope="row" className={cn(cell, 'max-w-72 truncate font-normal')}>
                  <Link to={href} className="font-medium text-accent hover:underline">
                    {log.filename}
                  </Link>
                </th>
                <td className={cn(cell, 'whitespace-nowrap text-muted')}>
                  {log.source?.name ?? log.sourceId}
                </td>
                <td className={cell}>
                  <StatusChip kind="upload" status={log.status} />
                </td>
                <td className={cn(cell, number)}>{formatCount(log.rowsTotal)}</td>
                <td className={cn(cell, number)}>{formatCount(log.rowsCreated)}</td>
                <td className={cn(cell, number)}>{formatCount(log.rowsUpdated)}</td>
                <td className={cn(cell, number)}>
                  {log.rowsFailed > 0 ? (
                    <Link
                      to={href}
                      aria-label={t('recent.refused', {
                        count: log.rowsFailed,
                        name: log.filename,
                      })}
                      className="font-medium text-warn underline underline-offset-2"
                    >
                      {formatCount(log.rowsFailed)}
                    </Link>
                  ) : (
                    <span className="text-muted">0</span>
                  )}
                </td>
                <td className={cell}>{log.uploadedBy}</td>
                <td className={cn(cell, 'whitespace-nowrap tabular-nums')}>
                  <DateTime instant={log.createdAt} inline />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
