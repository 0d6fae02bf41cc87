import { Download } from 'lucide-react';
import { useId, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient, useQuery } from 'urql';
import { normalizeError } from '@/data/errors';
import { QueryState } from '@/data/query-state';
import { useKept } from '@/data/use-record';
import { downloadText } from '@/lib/download-text';
import { formatCount } from '@/lib/numbers';
import { ListFooter } from '@/list/list-footer';
import { useListState } from '@/list/use-list-state';
import { useNarrowScreen } from '@/list/use-narrow-screen';
import { Button } from '@/ui/button';
import { Panel, PanelHead } from '@/ui/panel';
import { StateView } from '@/ui/state-view';
import { toast } from '@/ui/toast';
import { uploadRowsQuery, type RefusedRow, type UploadLog } from '../queries';
import { loadRefusedCells, refusedFilename, refusedRowsCsv } from '../refused-rows-csv';

const shape = { name: 'refused-rows', filters: [], columns: [], defaultSort: [] };
const context = { additionalTypenames: ['UploadRow'] };

/** Refused rows as they are listed for whoever can't correct them here. */
export function RefusedRows({ log }: { log: UploadLog }) {
  const { t } = useTranslation(['imports', 'common']);
  const id = useId();
  const narrow = useNarrowScreen();
  const { state, setLimit, setOffset } = useListState(shape);
  const { limit, offset } = state;
  const [{ data, error }, execute] = useQuery({
    query: uploadRowsQuery,
    variables: useMemo(
      () => ({
        uploadLog: log.id,
        page: { sort: [{ key: 'rowNumber', direction: 'asc' as const }], limit, offset },
      }),
      [log.id, limit, offset],
    ),
    context,
  });
  const rows = useKept(data, log.id);
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
        value={rows}
        error={error}
        onRetry={() => execute({ requestPolicy: 'network-only' })}
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
              onLimit={setLimit}
              onOffset={setOffset}
            />
          </>
        )}
      </QueryState>
    </Panel>
  );
}

export function DownloadRefused({ log }: { log: UploadLog }) {
  const { t } = useTranslation('imports');
  const client = useClient();
  const [preparing, setPreparing] = useState(false);

  async function download() {
    setPreparing(true);
    try {
      const all = await loadRefusedCells(client, log.id);
      downloadText(refusedFilename(log.filename), refusedRowsCsv(log.headings, all));
    } catch (failure) {
      toast.error(normalizeError(failure).message);
    } finally {
      setPreparing(false);
    }
  }

  return (
    <Button icon={Download} disabled={preparing} onClick={() => void download()}>
      {t(preparing ? 'refused.preparing' : 'refused.download')}
    </Button>
  );
}

interface RefusedRowsProps {
  labelledBy: string;
  rows: readonly RefusedRow[];
}

const head = 'h-9 px-3 text-xs font-medium whitespace-nowrap text-muted';
const cell = 'px-3 py-2 align-top';

/** One line for each message, as one row of the file may have several. */
function RefusedRowsTable({ labelledBy, rows }: RefusedRowsProps) {
  const { t } = useTranslation(['imports', 'common']);
  const none = <span className="text-muted">{t('common:none')}</span>;
  return (
    <div
      role="region"
      aria-labelledby={labelledBy}
      tabIndex={0}
      className="overflow-x-auto focus-visible:-outline-offset-2"
    >
      <table className="w-full min-w-[760px] text-left text-sm">
        <thead className="bg-raised">
          <tr>
            <th scope="col" className={`${head} w-20 text-right`}>
              {t('refused.columns.row')}
            </th>
            <th scope="col" className={`${head} w-52`}>
              {t('refused.columns.column')}
            </th>
            <th scope="col" className={`${head} w-44`}>
              {t('refused.columns.code')}
            </th>
            <th scope="col" className={head}>
              {t('refused.columns.message')}
            </th>
            <th scope="col" className={`${head} w-36`}>
              {t('refused.columns.doc')}
            </th>
          </tr>
        </thead>
        {rows.map(({ rowNumber, deliveryId, messages }) => (
          <tbody key={rowNumber} className="border-t border-line">
            {messages.map(({ column, code, text }, index) => (
              <tr key={`${index} ${code}`}>
                {index === 0 && (
                  <th
                    scope="rowgroup"
                    rowSpan={messages.length}
                    className={`${cell} text-right font-normal tabular-nums`}
                  >
                    {rowNumber}
                  </th>
                )}
                <td className={cell}>{column ?? none}</td>
                <td className={`${cell} text-xs leading-5 text-muted wrap-anywhere`}>{code}</td>
                <td className={`${cell} wrap-anywhere`}>{text}</td>
                {index === 0 && (
                  <td rowSpan={messages.length} className={`${cell} tabular-nums wrap-anywhere`}>
                    {deliveryId ?? none}
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

/** The same rows on a narrow screen: row and document, and below them what is wrong. */
function RefusedRowsCards({ labelledBy, rows }: RefusedRowsProps) {
  const { t } = useTranslation('imports');
  return (
    <ul aria-labelledby={labelledBy} className="divide-y divide-line">
      {rows.map(({ rowNumber, deliveryId, messages }) => (
        <li key={rowNumber} className="px-4 py-3 text-sm">
          <p className="flex flex-wrap justify-between gap-x-3 font-medium tabular-nums">
            <span>{t('refused.row', { row: rowNumber })}</span>
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
