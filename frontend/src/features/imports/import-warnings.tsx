import { type ReactNode, useId, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { QueryState } from '@/data/query-state';
import { usePreviousData } from '@/data/use-record';
import { formatCount } from '@/lib/numbers';
import { cn } from '@/ui/cn';
import { Panel, PanelHead } from '@/ui/panel';
import { StateView } from '@/ui/state-view';
import { Table } from '@/ui/table';
import { uploadWarningsQuery, type UploadLog, type UploadWarning } from './queries';
import { RowPlace } from './row-place';

/** How many warnings are shown at most. If there are more, the heading shows both numbers. */
const SHOWN = 100;
const context = { additionalTypenames: ['UploadWarning'] };

/** Imported rows that should be reviewed. */
export function ImportWarnings({ log }: { log: UploadLog }) {
  const { t } = useTranslation(['imports', 'common']);
  const [{ data, error }, execute] = useQuery({
    query: uploadWarningsQuery,
    variables: useMemo(() => ({ uploadLog: log.id, page: { limit: SHOWN, offset: 0 } }), [log.id]),
    context,
  });
  const warnings = usePreviousData(data?.uploadWarnings, log.id);
  return (
    <WarningsPanel count={log.warnings}>
      {(id) => (
        <QueryState
          value={warnings}
          error={error}
          onRetry={() => execute({ requestPolicy: 'network-only' })}
          loading={<StateView kind="loading" title={t('common:loading')} />}
          empty={null}
        >
          {(found) => <WarningsTable labelledBy={id} warnings={found} />}
        </QueryState>
      )}
    </WarningsPanel>
  );
}

interface FileWarningsProps {
  warnings: readonly UploadWarning[];
  className?: string;
}

/** What to check about a file before its columns are saved. Shows nothing if there is nothing to check. */
export function FileWarnings({ warnings, className }: FileWarningsProps) {
  if (warnings.length === 0) return null;
  return (
    <WarningsPanel count={warnings.length} {...(className && { className })}>
      {(id) => <WarningsTable labelledBy={id} warnings={warnings.slice(0, SHOWN)} />}
    </WarningsPanel>
  );
}

interface WarningsPanelProps {
  /** Number of all warnings. */
  count: number;
  className?: string;
  /** Shows the warnings; takes the ID of the heading. */
  children: (headingId: string) => ReactNode;
}

function WarningsPanel({ count, className, children }: WarningsPanelProps) {
  const { t } = useTranslation('imports');
  const id = useId();
  return (
    <Panel className={cn('overflow-hidden', className)}>
      <PanelHead
        id={id}
        line
        title={t('warnings.title')}
        note={
          count > SHOWN
            ? t('warnings.first', { shown: formatCount(SHOWN), all: formatCount(count) })
            : t('warnings.count', { count, shown: formatCount(count) })
        }
      />
      {children(id)}
    </Panel>
  );
}

interface WarningsTableProps {
  labelledBy: string;
  warnings: readonly UploadWarning[];
}

function WarningsTable({ labelledBy, warnings }: WarningsTableProps) {
  const { t } = useTranslation(['imports', 'common']);
  const none = <span className="text-muted">{t('common:none')}</span>;
  return (
    <div
      role="region"
      aria-labelledby={labelledBy}
      tabIndex={0}
      className="overflow-x-auto focus-visible:-outline-offset-2"
    >
      <Table
        look="texts"
        className="sm:min-w-[560px]"
        columns={[
          {
            id: 'row',
            header: t('refused.columns.row'),
            render: ({ line, sheet }) => (line === null ? none : <RowPlace row={line} sheet={sheet} />),
            end: true,
            headClassName: 'w-16 sm:w-20',
          },
          {
            id: 'column',
            header: t('refused.columns.column'),
            render: ({ column }) => column ?? none,
            headClassName: 'w-24 sm:w-52',
            cellClassName: 'wrap-anywhere',
          },
          {
            id: 'message',
            header: t('refused.columns.message'),
            render: ({ text }) => text,
            cellClassName: 'wrap-anywhere',
          },
        ]}
        rows={warnings}
        rowKey={({ number }) => String(number)}
      />
    </div>
  );
}
