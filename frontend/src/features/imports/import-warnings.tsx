import { useId, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { QueryState } from '@/data/query-state';
import { usePreviousData } from '@/data/use-record';
import { formatCount } from '@/lib/numbers';
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
  const id = useId();
  const [{ data, error }, execute] = useQuery({
    query: uploadWarningsQuery,
    variables: useMemo(() => ({ uploadLog: log.id, page: { limit: SHOWN, offset: 0 } }), [log.id]),
    context,
  });
  const warnings = usePreviousData(data?.uploadWarnings, log.id);
  return (
    <Panel className="overflow-hidden">
      <PanelHead
        id={id}
        line
        title={t('warnings.title')}
        note={
          log.warnings > SHOWN
            ? t('warnings.first', { shown: formatCount(SHOWN), all: formatCount(log.warnings) })
            : t('warnings.count', { count: log.warnings, shown: formatCount(log.warnings) })
        }
      />
      <QueryState
        value={warnings}
        error={error}
        onRetry={() => execute({ requestPolicy: 'network-only' })}
        loading={<StateView kind="loading" title={t('common:loading')} />}
        empty={null}
      >
        {(found) => <WarningsTable labelledBy={id} warnings={found} />}
      </QueryState>
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
        className="min-w-[560px]"
        columns={[
          {
            id: 'row',
            header: t('refused.columns.row'),
            render: ({ line, sheet }) => (line === null ? none : <RowPlace row={line} sheet={sheet} />),
            end: true,
            headClassName: 'w-20',
          },
          {
            id: 'column',
            header: t('refused.columns.column'),
            render: ({ column }) => column ?? none,
            headClassName: 'w-52',
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
