import { Download } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient } from 'urql';
import { normalizeError } from '@/data/errors';
import { QueryState } from '@/data/query-state';
import { useRecord } from '@/data/use-record';
import { downloadText } from '@/lib/download-text';
import { formatCount } from '@/lib/numbers';
import { ListFooter } from '@/list/list-footer';
import { useListPaging, useListState } from '@/list/use-list-state';
import { useNarrowScreen } from '@/ui/use-narrow-screen';
import { Button } from '@/ui/button';
import { Panel, PanelHead } from '@/ui/panel';
import { StateView } from '@/ui/state-view';
import { Table } from '@/ui/table';
import { toast } from '@/ui/toast';
import { uploadRowsQuery, type RefusedRow, type UploadLog } from './queries';
import { loadRefusedCells, refusedFilename, refusedRowsCsv } from './refused-rows-csv';
import { RowPlace, RowTitle } from './row-place';
import type { Corrections } from './use-corrections';

const shape = { name: 'refused-rows', filters: [], columns: [], defaultSort: [] };
const sort = [{ key: 'rowNumber', direction: 'asc' as const }];

/** Read-only list of refused rows, for users who cannot correct them. */
export function RefusedRows({ log }: { log: UploadLog }) {
  const { t } = useTranslation(['imports', 'common']);
  const id = useId();
  const narrow = useNarrowScreen();
  const navigation = useListState(shape);
  const { state, setLimit, setOffset } = navigation;
  const { limit, offset } = state;
  const { value, error, status, retry } = useRecord({
    document: uploadRowsQuery,
    variables: { uploadLog: log.id, page: { sort, limit, offset } },
    typenames: ['UploadRow'],
    read: (page) => page,
    pageOf: log.id,
  });
  useListPaging(
    { count: value?.uploadRowsCount, shown: value?.uploadRows.length ?? 0, isLoading: status === 'refetch' },
    navigation,
  );
  return (
    <Panel className="overflow-hidden">
      <PanelHead
        id={id}
        line
        title={t('refused.title')}
        note={t('refused.count', { count: log.rowsFailed, shown: formatCount(log.rowsFailed) })}
        tools={<DownloadRefused log={log} />}
      />
      <p className="px-4 pb-3 text-xs text-muted">{t('refused.hint')}</p>
      <QueryState
        value={value}
        error={error}
        status={status}
        onRetry={retry}
        loading={<StateView kind="loading" title={t('common:loading')} />}
        empty={null}
      >
        {({ uploadRows, uploadRowsCount }) => (
          <>
            {narrow ? (
              <RefusedRowsCards labelledBy={id} rows={uploadRows} />
            ) : (
              <RefusedRowsTable labelledBy={id} rows={uploadRows} />
            )}
            <ListFooter
              shown={uploadRows.length}
              count={uploadRowsCount}
              limit={limit}
              offset={offset}
              loading={status === 'refetch'}
              onLimit={setLimit}
              onOffset={setOffset}
            />
          </>
        )}
      </QueryState>
    </Panel>
  );
}

/** Milliseconds after which the button shows progress. */
const SHOW_PROGRESS_MS = 1000;

interface DownloadRefusedProps {
  log: UploadLog;
  /** The corrections that the user is typing, if any. */
  corrections?: Corrections;
}

export function DownloadRefused({ log, corrections }: DownloadRefusedProps) {
  const { t } = useTranslation('imports');
  const client = useClient();
  /** The text of the button while the file is being prepared. */
  const [preparing, setPreparing] = useState<string>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  async function download() {
    const { signal } = (running.current = new AbortController());
    const begunAt = Date.now();
    const onProgress = (loaded: number, total: number) => {
      if (Date.now() - begunAt < SHOW_PROGRESS_MS) return;
      setPreparing(t('refused.prepared', { shown: formatCount(loaded), all: formatCount(total) }));
    };
    setPreparing(t('refused.preparing'));
    try {
      // Save the latest corrections first, so that the file includes them. If that fails, a message has said why.
      if (corrections && !(await corrections.settled())) return;
      const rows = await loadRefusedCells(client, log.id, { signal, onProgress });
      if (signal.aborted) return;
      if (rows) downloadText(refusedFilename(log.filename), refusedRowsCsv(log, rows));
      else toast.error(t('refused.changed'));
    } catch (failure) {
      if (!signal.aborted) toast.error(normalizeError(failure).message);
    } finally {
      setPreparing(undefined);
    }
  }

  return (
    <Button icon={Download} disabled={preparing !== undefined} onClick={() => void download()}>
      {preparing ?? t('refused.download')}
    </Button>
  );
}

interface RefusedRowsProps {
  labelledBy: string;
  rows: readonly RefusedRow[];
}

/** One message of a refused row. */
interface Refusal {
  row: RefusedRow;
  message: RefusedRow['messages'][number];
  /** The position among the messages of the row. */
  place: number;
}

/** Row span of a cell about the whole row: it spans all messages of the row. */
const span = ({ row, place }: Refusal) => (place === 0 ? row.messages.length : 0);

/** A table with one row per message, since a row of the file can have several messages. */
function RefusedRowsTable({ labelledBy, rows }: RefusedRowsProps) {
  const { t } = useTranslation(['imports', 'common']);
  const none = <span className="text-muted">{t('common:none')}</span>;
  const messages = rows.flatMap((row) => row.messages.map((message, place): Refusal => ({ row, message, place })));
  return (
    <div
      role="region"
      aria-labelledby={labelledBy}
      tabIndex={0}
      className="overflow-x-auto focus-visible:-outline-offset-2"
    >
      <Table
        look="groups"
        className="min-w-[760px]"
        columns={[
          {
            id: 'row',
            header: t('refused.columns.row'),
            render: ({ row }) => <RowPlace row={row.sheetRow} sheet={row.sheet} />,
            names: true,
            end: true,
            span,
            headClassName: 'w-20',
          },
          {
            id: 'column',
            header: t('refused.columns.column'),
            render: ({ message }) => message.column ?? none,
            headClassName: 'w-52',
          },
          {
            id: 'code',
            header: t('refused.columns.code'),
            render: ({ message }) => message.code,
            headClassName: 'w-44',
            cellClassName: 'text-xs leading-5 text-muted wrap-anywhere',
          },
          {
            id: 'message',
            header: t('refused.columns.message'),
            render: ({ message }) => message.text,
            cellClassName: 'wrap-anywhere',
          },
          {
            id: 'doc',
            header: t('refused.columns.doc'),
            render: ({ row }) => row.deliveryId ?? none,
            span,
            headClassName: 'w-36',
            cellClassName: 'tabular-nums wrap-anywhere',
          },
        ]}
        rows={messages}
        rowKey={({ row, place }) => `${row.rowNumber} ${place}`}
        groupKey={({ row }) => String(row.rowNumber)}
      />
    </div>
  );
}

/** Refused rows as cards on narrow screens: row and document, followed by the messages. */
function RefusedRowsCards({ labelledBy, rows }: RefusedRowsProps) {
  return (
    <ul aria-labelledby={labelledBy} className="divide-y divide-line">
      {rows.map(({ rowNumber, sheetRow, sheet, deliveryId, messages }) => (
        <li key={rowNumber} className="px-4 py-3 text-sm">
          <p className="flex flex-wrap justify-between gap-x-3 font-medium tabular-nums">
            <RowTitle row={sheetRow} sheet={sheet} />
            <span className="wrap-anywhere">{deliveryId}</span>
          </p>
          {messages.map(({ column, code, text }, index) => (
            <p key={`${index} ${code}`} className="mt-1 wrap-anywhere">
              {column && <span className="text-muted">{column}: </span>}
              {text}
            </p>
          ))}
        </li>
      ))}
    </ul>
  );
}
