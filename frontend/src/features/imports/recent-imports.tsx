import { RefreshCw } from 'lucide-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { QueryState } from '@/data/query-state';
import { useRecord } from '@/data/use-record';
import { ListFooter } from '@/list/list-footer';
import { useListPaging, useListState } from '@/list/use-list-state';
import { useNarrowScreen } from '@/ui/use-narrow-screen';
import { Button } from '@/ui/button';
import { Panel, PanelHead } from '@/ui/panel';
import { Skeleton } from '@/ui/skeleton';
import { StateView } from '@/ui/state-view';
import { recentImportsQuery } from './queries';
import { RecentImportsCards } from './recent-imports-cards';
import { RecentImportsTable } from './recent-imports-table';

const sort = [{ key: 'createdAt', direction: 'desc' as const }];
const shape = { name: 'recent-imports', filters: [], columns: [], defaultSort: [] };

export function RecentImports() {
  const { t } = useTranslation('imports');
  const id = useId();
  const navigation = useListState(shape);
  const { state, setLimit, setOffset } = navigation;
  const { limit, offset } = state;
  const Imports = useNarrowScreen() ? RecentImportsCards : RecentImportsTable;
  const { value, error, status, retry } = useRecord({
    document: recentImportsQuery,
    variables: { page: { sort, limit, offset } },
    typenames: ['UploadLog'],
    read: (page) => page,
    pageOf: 'recent',
  });
  useListPaging(
    { count: value?.uploadLogsCount, shown: value?.uploadLogs.length ?? 0, isLoading: status === 'refetch' },
    navigation,
  );

  return (
    <Panel className="overflow-hidden">
      <PanelHead
        id={id}
        line
        title={t('recent.title')}
        tools={
          <Button
            variant="quiet"
            size={28}
            icon={RefreshCw}
            disabled={status === 'loading' || status === 'refetch'}
            onClick={retry}
          >
            {t('recent.refresh')}
          </Button>
        }
      />
      <QueryState
        value={value}
        error={error}
        status={status}
        onRetry={retry}
        loading={<LoadingRows />}
        empty={null}
      >
        {({ uploadLogs, uploadLogsCount }) =>
          uploadLogs.length > 0 || offset > 0 ? (
            <>
              <Imports labelledBy={id} logs={uploadLogs} />
              <ListFooter
                shown={uploadLogs.length}
                count={uploadLogsCount}
                limit={limit}
                offset={offset}
                loading={status === 'refetch'}
                onLimit={setLimit}
                onOffset={setOffset}
              />
            </>
          ) : (
            <StateView kind="empty" title={t('recent.empty.title')} text={t('recent.empty.text')} />
          )
        }
      </QueryState>
    </Panel>
  );
}

function LoadingRows() {
  const { t } = useTranslation('common');
  return (
    <div role="status" aria-label={t('loading')} className="divide-y divide-line">
      {Array.from({ length: 5 }, (_, index) => (
        <div key={index} className="flex h-10 items-center gap-6 px-4">
          <Skeleton className="h-2.5 w-40 rounded-full" />
          <Skeleton className="h-2.5 w-24 rounded-full" />
          <Skeleton className="h-2.5 w-32 rounded-full" />
        </div>
      ))}
    </div>
  );
}
