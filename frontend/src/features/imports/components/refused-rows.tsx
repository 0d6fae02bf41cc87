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
import { uploadRowsQuery, type UploadLog } from '../queries';
import { loadRefusedCells, refusedFilename, refusedRowsCsv } from '../refused-rows-csv';
import { RefusedRowsCards, RefusedRowsTable } from './refused-rows-table';

const shape = { name: 'refused-rows', filters: [], columns: [], defaultSort: [] };
const context = { additionalTypenames: ['UploadRow'] };

export function RefusedRows({ log }: { log: UploadLog }) {
  const { t } = useTranslation(['imports', 'common']);
  const id = useId();
  const client = useClient();
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
    <Panel className="overflow-hidden">
      <PanelHead
        id={id}
        line
        title={t('refused.title')}
        note={t('refused.count', { count: log.rowsFailed, shown: formatCount(log.rowsFailed) })}
        tools={
          <Button icon={Download} disabled={preparing} onClick={() => void download()}>
            {t(preparing ? 'refused.preparing' : 'refused.download')}
          </Button>
        }
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
