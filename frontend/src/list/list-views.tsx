import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { useQuery } from 'urql';
import { useChanges } from '@/data/use-changes';
import { formatCount } from '@/lib/numbers';
import { ViewTabs } from '@/ui/tabs';
import { activeView, applyView, writeListState, type ListState } from './list-state';
import type { ListCount, Resource } from './resource';
import { toWhere } from './to-where';
import { useNow } from './use-now';

interface ListViewsProps<Row, Data> {
  resource: Resource<Row, Data>;
  state: ListState;
  timeZone: string;
}

export function ListViews<Row, Data>({ resource, state, timeZone }: ListViewsProps<Row, Data>) {
  const { views, viewCounts } = resource;
  if (views.length === 0) return null;
  if (!viewCounts) return <Tabs {...{ resource, state }} />;
  return <CountedTabs {...{ resource, state, timeZone, viewCounts }} />;
}

const COUNT_PACE_MS = 3000;
const NO_VARIABLES = {};

interface CountedTabsProps<Row, Data> extends ListViewsProps<Row, Data> {
  viewCounts: NonNullable<Resource<Row, Data>['viewCounts']>;
}

/** A count that cannot be read is left out: the tabs work without. */
function CountedTabs<Row, Data>(props: CountedTabsProps<Row, Data>) {
  const { resource, state, timeZone, viewCounts } = props;
  const { filters } = state;
  const asked = useMemo(
    () => resource.views.map((view) => ({ id: view.id, filters: applyView(filters, view, resource.views) })),
    [resource, filters],
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
  // Counting is more work than reading a page, and less of a hurry.
  useChanges(resource.changes, NO_VARIABLES, () => execute({ requestPolicy: 'network-only' }), {
    pace: COUNT_PACE_MS,
  });
  return <Tabs {...{ resource, state }} counts={data} />;
}

interface TabsProps<Row, Data> {
  resource: Resource<Row, Data>;
  state: ListState;
  counts?: Record<string, ListCount> | undefined;
}

function Tabs<Row, Data>({ resource, state, counts }: TabsProps<Row, Data>) {
  const { t } = useTranslation('list');
  const [params] = useSearchParams();
  const { views } = resource;
  const tabs = views.map((view) => {
    const filters = applyView(state.filters, view, views);
    const next = writeListState(params, { ...state, filters, offset: 0 }, resource);
    const count = counts?.[view.id];
    return {
      id: view.id,
      label: t(view.labelKey),
      to: { search: next.toString() },
      count: count && `${formatCount(count.total)}${count.exact ? '' : '+'}`,
    };
  });
  return (
    <ViewTabs
      label={t('views')}
      tabs={tabs}
      current={activeView(state.filters, views)?.id}
      className="max-md:-mx-4 max-md:-mt-4 max-md:px-1"
    />
  );
}
