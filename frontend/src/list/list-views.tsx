import { Bookmark } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { useQuery } from 'urql';
import { useChanges } from '@/data/use-changes';
import { formatCount } from '@/lib/numbers';
import { type ViewTab, ViewTabs } from '@/ui/tabs';
import type { Filter } from './filters-codec';
import { rememberAddress } from './list-start';
import { activeView, applyView, writeListState, type ListState } from './list-state';
import type { ListCount, Resource } from './resource';
import { useSavedViews, VIEW_PARAMETER, viewAddress } from './saved-views';
import { toWhere } from './to-where';
import { COLUMNS_PARAMETER } from './use-column-settings';
import { useNow } from './use-now';

interface ListViewsProps<Row, Data> {
  resource: Resource<Row, Data>;
  state: ListState;
  timeZone: string;
}

export function ListViews<Row, Data>({ resource, state, timeZone }: ListViewsProps<Row, Data>) {
  const { views, viewCounts } = resource;
  const [params] = useSearchParams();
  // Leaving a saved view also removes its filters.
  const beside = params.has(COLUMNS_PARAMETER) ? NO_FILTERS : state.filters;
  if (views.length === 0) return null;
  if (!viewCounts) return <Tabs {...{ resource, state, beside }} />;
  return <CountedTabs {...{ resource, state, beside, timeZone, viewCounts }} />;
}

const COUNT_PACE_MS = 3000;
const NO_VARIABLES = {};
const NO_FILTERS: Filter[] = [];

interface CountedTabsProps<Row, Data> extends ListViewsProps<Row, Data> {
  /** Filters that stay when another view is opened. */
  beside: Filter[];
  viewCounts: NonNullable<Resource<Row, Data>['viewCounts']>;
}

/** A count that failed to load is left out; the tabs work without it. */
function CountedTabs<Row, Data>(props: CountedTabsProps<Row, Data>) {
  const { resource, state, beside, timeZone, viewCounts } = props;
  const asked = useMemo(
    () => resource.views.map((view) => ({ id: view.id, filters: applyView(beside, view, resource.views) })),
    [resource, beside],
  );
  const now = useNow(useMemo(() => asked.flatMap((view) => view.filters), [asked]));
  const variables = useMemo(
    () =>
      Object.fromEntries(
        asked.map((view) => [view.id, toWhere(view.filters, timeZone, resource.filters, now)]),
      ),
    [resource, asked, timeZone, now],
  );
  const context = useMemo(() => ({ additionalTypenames: [resource.typename] }), [resource]);
  const [{ data }, execute] = useQuery({
    query: viewCounts,
    variables,
    requestPolicy: 'cache-and-network',
    context,
  });
  // Counting costs more than reading a page and is less urgent, so it waits.
  useChanges(resource.changes, NO_VARIABLES, () => execute({ requestPolicy: 'network-only' }), {
    pace: COUNT_PACE_MS,
  });
  return <Tabs {...{ resource, state, beside }} counts={data} />;
}

interface TabsProps<Row, Data> {
  resource: Resource<Row, Data>;
  state: ListState;
  beside: Filter[];
  counts?: Record<string, ListCount> | undefined;
}

function Tabs<Row, Data>({ resource, state, beside, counts }: TabsProps<Row, Data>) {
  const { t } = useTranslation('list');
  const [params] = useSearchParams();
  const saved = useSavedViews(resource);
  const { views, name } = resource;
  const isSaved = params.has(COLUMNS_PARAMETER);
  const from = new URLSearchParams(params);
  from.delete(COLUMNS_PARAMETER);
  from.delete(VIEW_PARAMETER);
  const tabs = views.map((view): ViewTab => {
    const filters = applyView(beside, view, views);
    const sort = isSaved ? [...resource.defaultSort] : state.sort;
    const next = writeListState(from, { ...state, sort, filters, offset: 0 }, resource);
    const count = counts?.[view.id];
    return {
      id: view.id,
      label: t(view.labelKey),
      to: { search: next.toString() },
      count: count && `${formatCount(count.total)}${count.exact ? '' : '+'}`,
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
    if (address !== undefined) rememberAddress(name, address);
  }, [name, address]);

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
