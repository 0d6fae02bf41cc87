import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { NameIn } from '@/i18n/texts';
import { formatCount } from '@/lib/numbers';
import { routes } from '@/routing/routes';
import { DateTime } from '@/ui/date-time';
import { StatusChip } from '@/ui/status-chip';
import { Table, type TableColumn } from '@/ui/table';
import type { RecentImport } from './queries';

interface RecentImportsTableProps {
  labelledBy: string;
  logs: readonly RecentImport[];
}

export function RecentImportsTable({ labelledBy, logs }: RecentImportsTableProps) {
  const { t } = useTranslation('imports');
  const columns: (TableColumn<RecentImport> & { id: NameIn<'imports:recent.columns'> })[] = [
    {
      id: 'file',
      render: ({ id, filename }) => (
        <Link to={routes.uploadedDetails({ uploadLog: id })} className="font-medium text-accent hover:underline">
          {filename}
        </Link>
      ),
      names: true,
      cellClassName: 'max-w-72 truncate',
    },
    {
      id: 'source',
      render: ({ source, sourceId }) => source?.name ?? sourceId,
      cellClassName: 'whitespace-nowrap text-muted',
    },
    { id: 'status', render: ({ status }) => <StatusChip kind="upload" status={status} /> },
    { id: 'rows', render: ({ rowsTotal }) => formatCount(rowsTotal), end: true },
    { id: 'created', render: ({ rowsCreated }) => formatCount(rowsCreated), end: true },
    { id: 'updated', render: ({ rowsUpdated }) => formatCount(rowsUpdated), end: true },
    {
      id: 'refused',
      render: ({ id, filename, rowsFailed }) =>
        rowsFailed > 0 ? (
          <Link
            to={routes.uploadedDetails({ uploadLog: id })}
            aria-label={t('recent.refused', { count: rowsFailed, name: filename })}
            className="font-medium text-warn underline underline-offset-2"
          >
            {formatCount(rowsFailed)}
          </Link>
        ) : (
          <span className="text-muted">0</span>
        ),
      end: true,
    },
    { id: 'by', render: ({ uploadedBy }) => uploadedBy },
    {
      id: 'at',
      render: ({ createdAt }) => <DateTime instant={createdAt} inline />,
      cellClassName: 'whitespace-nowrap tabular-nums',
    },
  ];
  return (
    <div
      role="region"
      aria-labelledby={labelledBy}
      tabIndex={0}
      className="overflow-x-auto focus-visible:-outline-offset-2"
    >
      <Table
        look="records"
        className="min-w-[960px]"
        columns={columns.map((column) => ({ ...column, header: t(`recent.columns.${column.id}`) }))}
        rows={logs}
        rowKey={({ id }) => id}
      />
    </div>
  );
}
