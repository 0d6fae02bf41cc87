import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { QueryState } from '@/data/query-state';
import { useTimeZone } from '@/data/use-time-zone';
import { useRecord } from '@/data/use-record';
import { useNameOf } from '@/i18n/texts';
import { formatDateTime } from '@/lib/dates';
import { formatCount } from '@/lib/numbers';
import { routes } from '@/routing/routes';
import { Button } from '@/ui/button';
import { DateTime } from '@/ui/date-time';
import { Note } from '@/ui/note';
import { Panel, PanelHead } from '@/ui/panel';
import { StateView } from '@/ui/state-view';
import { Table, type TableColumn } from '@/ui/table';
import { undoExceptionsQuery, type UndoException, type UploadLog } from './queries';

const SHOWN = 25;

/** Result of an undo, with the deliveries it left unchanged. */
export function UndoResult({ log }: { log: UploadLog }) {
  const { t } = useTranslation('imports');
  const timeZone = useTimeZone();
  const id = useId();
  const report = log.undoReport;
  if (!report) return null;
  const { kept, errored } = report;
  return (
    <Panel aria-labelledby={id} className="overflow-hidden">
      <PanelHead
        id={id}
        title={t('undo.result.title')}
        note={
          log.undoneAt
            ? t('undo.result.by', {
                by: log.undoneBy ?? '',
                at: formatDateTime(log.undoneAt, timeZone),
              })
            : undefined
        }
      />
      {log.undoFailureText && (
        <Note tone="warn" className="mx-4 mb-3">
          {log.undoFailureText}
        </Note>
      )}
      <dl className="grid grid-cols-3 gap-4 px-4 pb-4">
        {(['reversed', 'kept', 'errored'] as const).map((name) => (
          <div key={name}>
            <dt className="text-xs text-muted">{t(`undo.result.${name}`)}</dt>
            <dd className="text-kpi font-semibold">{formatCount(report[name])}</dd>
          </div>
        ))}
      </dl>
      {kept + errored > 0 && <Exceptions log={log} count={kept + errored} />}
    </Panel>
  );
}

interface ExceptionsProps {
  log: UploadLog;
  count: number;
}

function Exceptions({ log, count }: ExceptionsProps) {
  const { t } = useTranslation(['imports', 'common']);
  const [offset, setOffset] = useState(0);
  const { value, error, status, retry } = useRecord({
    document: undoExceptionsQuery,
    variables: { uploadLog: log.id, page: { limit: SHOWN, offset } },
    typenames: ['UndoException'],
    read: ({ undoExceptions }) => undoExceptions,
    pageOf: log.id,
  });
  return (
    <>
      <QueryState
        value={value}
        error={error}
        status={status}
        onRetry={retry}
        loading={<StateView kind="loading" title={t('common:loading')} />}
        empty={null}
      >
        {(exceptions) => <ExceptionsTable exceptions={exceptions} />}
      </QueryState>
      {/* Stays when a page fails, because the page is not in the URL and the browser's Back button leaves the import. */}
      {count > SHOWN && (
        <div className="flex items-center justify-end gap-2 border-t border-line px-4 py-2 text-sm">
          <span className="text-muted tabular-nums">
            {t('undo.result.page', {
              from: formatCount(offset + 1),
              to: formatCount(Math.min(offset + SHOWN, count)),
              all: formatCount(count),
            })}
          </span>
          <Button disabled={offset === 0} onClick={() => setOffset(offset - SHOWN)}>
            {t('undo.result.previous')}
          </Button>
          <Button disabled={offset + SHOWN >= count} onClick={() => setOffset(offset + SHOWN)}>
            {t('undo.result.next')}
          </Button>
        </div>
      )}
    </>
  );
}

function ExceptionsTable({ exceptions }: { exceptions: readonly UndoException[] }) {
  const { t } = useTranslation('imports');
  const nameOf = useNameOf();
  const columns: TableColumn<UndoException>[] = [
    {
      id: 'doc',
      header: t('undo.result.columns.doc'),
      render: ({ deliveryId }) => (
        <Link to={routes.viewDelivery({ deliveryId })} className="font-medium text-accent hover:underline">
          {deliveryId}
        </Link>
      ),
      cellClassName: 'wrap-anywhere',
    },
    {
      id: 'why',
      header: t('undo.result.columns.why'),
      render: ({ code }) => nameOf('imports:undo.result.codes', code),
      cellClassName: 'wrap-anywhere',
    },
    {
      id: 'by',
      header: t('undo.result.columns.by'),
      render: ({ touchedBy }) => touchedBy,
      cellClassName: 'wrap-anywhere',
    },
    {
      id: 'at',
      header: t('undo.result.columns.at'),
      render: ({ touchedAt }) => touchedAt && <DateTime instant={touchedAt} inline />,
      cellClassName: 'whitespace-nowrap tabular-nums',
    },
  ];
  return (
    <div
      role="region"
      aria-label={t('undo.result.exceptions')}
      tabIndex={0}
      className="overflow-x-auto border-t border-line focus-visible:-outline-offset-2"
    >
      <Table look="texts" className="min-w-[560px]" columns={columns} rows={exceptions} rowKey={({ deliveryId }) => deliveryId} />
    </div>
  );
}
