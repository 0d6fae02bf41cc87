import { Bookmark } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { useQuery } from 'urql';
import { BUSY_PACE_MS, useChanges } from '@/data/use-changes';
import { useRefresh } from '@/data/use-refresh';
import { useText } from '@/i18n/texts';
import { formatListCount } from '@/lib/numbers';
import { type ViewTab, ViewTabs } from '@/ui/tabs';
import type { Filter } from './filters-codec';
import { useRememberView } from './list-start';
import { activeView, applyView, writeListState, type ListState } from './list-state';
import type { ListCount, Resource } from './resource';
import { useSavedViews, VIEW_PARAMETER, viewAddress } from './saved-views';
import { listWhere } from './to-where';
import { COLUMNS_PARAMETER } from './use-column-settings';
import { useCurrentMinute } from './use-current-minute';

interface ListViewsProps<Row, Data> {
  resource: Resource<Row, Data>;
  state: ListState;
  /** Rows per page when the URL has no limit. */
  pageSize: number;
  timeZone: string;
}

export function ListViews<Row, Data>(props: ListViewsProps<Row, Data>) {
  const { resource, state, pageSize, timeZone } = props;
  const { views, viewCounts } = resource;
  const [params] = useSearchParams();
  // Leaving a saved view also removes its filters.
  const beside = params.has(COLUMNS_PARAMETER) ? NO_FILTERS : state.filters;
  if (views.length === 0) return null;
  if (!viewCounts) return <Tabs {...{ resource, state, pageSize, beside }} />;
  return <CountedTabs {...{ resource, state, pageSize, beside, timeZone, viewCounts }} />;
}

const COUNT_PACE_MS = 3000;
const NO_VARIABLES = {};
const NO_FILTERS: Filter[] = [];

interface CountedTabsProps<Row, Data> extends ListViewsProps<Row, Data> {
  /** Filters that are kept when switching views. */
  beside: Filter[];
  viewCounts: NonNullable<Resource<Row, Data>['viewCounts']>;
}

/** A count that failed to load is left out, because the tabs work without it. */
function CountedTabs<Row, Data>(props: CountedTabsProps<Row, Data>) {
  const { resource, state, pageSize, beside, timeZone, viewCounts } = props;
  const asked = useMemo(
    () => resource.views.map((view) => ({ id: view.id, filters: applyView(beside, view, resource.views) })),
    [resource, beside],
  );
  const now = useCurrentMinute(useMemo(() => asked.flatMap((view) => view.filters), [asked]));
  const variables = useMemo(
    () =>
      Object.fromEntries(
        asked.map((view) => [view.id, listWhere(resource, view.filters, timeZone, now)]),
      ),
    [resource, asked, timeZone, now],
  );
  const context = useMemo(() => ({ additionalTypenames: [resource.typename] }), [resource]);
  const [result, execute] = useQuery({
    query: viewCounts,
    variables,
    requestPolicy: 'cache-and-network',
    context,
  });
  // Counting takes longer than loading a page and is less urgent, so count at most every `COUNT_PACE_MS`.
  useChanges(resource.changes, NO_VARIABLES, useRefresh(result, execute), {
    pace: COUNT_PACE_MS,
    busyPace: 2 * BUSY_PACE_MS,
  });
  return <Tabs {...{ resource, state, pageSize, beside }} counts={result.data} />;
}

interface TabsProps<Row, Data> {
  resource: Resource<Row, Data>;
  state: ListState;
  pageSize: number;
  beside: Filter[];
  counts?: Record<string, ListCount> | undefined;
}

function Tabs<Row, Data>(props: TabsProps<Row, Data>) {
  const { resource, state, pageSize, beside, counts } = props;
  const { t } = useTranslation('list');
  const textOf = useText();
  const [params] = useSearchParams();
  const saved = useSavedViews(resource);
  const { views } = resource;
  const remember = useRememberView();
  const isSaved = params.has(COLUMNS_PARAMETER);
  const from = new URLSearchParams(params);
  from.delete(COLUMNS_PARAMETER);
  from.delete(VIEW_PARAMETER);
  const { defaultSort } = resource;
  const tabs = views.map((view): ViewTab => {
    const filters = applyView(beside, view, views);
    const sort = isSaved ? [...defaultSort] : state.sort;
    const next = writeListState(from, { ...state, sort, filters, offset: 0 }, { defaultSort, pageSize });
    const count = counts?.[view.id];
    return {
      id: view.id,
      label: textOf(view.labelKey),
      to: { search: next.toString() },
      count: count && formatListCount(count),
      onChoose: () => remember(view.id),
    };
  });
  const own = saved.map(
    (view): ViewTab => ({
      id: `saved ${view.id}`,
      label: view.name,
      to: { search: viewAddress(view.state, resource, view.id) },
      icon: Bookmark,
    }),
  );
  const open = saved.find(({ id }) => id === params.get(VIEW_PARAMETER));
  const address = open && viewAddress(open.state, resource, open.id);
  useEffect(() => {
    if (address !== undefined) remember(`?${address}`);
  }, [remember, address]);

  const standing = views.filter((view) => view.standing).length;
  return (
    <ViewTabs
      label={t('views')}
      tabs={[...tabs.slice(0, standing), ...own, ...tabs.slice(standing)]}
      current={open ? `saved ${open.id}` : isSaved ? undefined : activeView(state.filters, views)?.id}
      className="max-md:-mx-4 max-md:-mt-4 max-md:px-1"
    />
  );
}
