import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useTimeZone } from '@/data/use-time-zone';
import { formatDateTime } from '@/lib/dates';
import { formatCount } from '@/lib/numbers';
import { routes } from '@/routing/routes';
import { StatusChip } from '@/ui/status-chip';
import type { RecentImport } from './queries';

interface RecentImportsCardsProps {
  labelledBy: string;
  logs: readonly RecentImport[];
}

export function RecentImportsCards({ labelledBy, logs }: RecentImportsCardsProps) {
  const { t } = useTranslation('imports');
  const timeZone = useTimeZone();
  return (
    <ul aria-labelledby={labelledBy} className="divide-y divide-line">
      {logs.map((log) => (
        <li key={log.id}>
          <Link
            to={routes.uploadedDetails({ uploadLog: log.id })}
            className="block px-4 py-2.5 focus-visible:-outline-offset-2 active:bg-raised"
          >
            <span className="flex items-center justify-between gap-3">
              <span className="truncate text-sm font-medium text-accent">{log.filename}</span>
              <StatusChip kind="upload" status={log.status} />
            </span>
            <span className="mt-1 flex justify-between gap-3 text-xs text-muted tabular-nums">
              <span>{formatDateTime(log.createdAt, timeZone)}</span>
              <span>
                {t('recent.rows', { count: log.rowsTotal, shown: formatCount(log.rowsTotal) })}
                {log.rowsFailed > 0 && (
                  <span className="text-warn">
                    {` · ${t('recent.refusedShort', { shown: formatCount(log.rowsFailed) })}`}
                  </span>
                )}
              </span>
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
