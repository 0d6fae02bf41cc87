import { useMemo } from 'react';
import * as v from 'valibot';
import { useQuery } from 'urql';
import { savedViewsContext, savedViewsQuery, useSaveView } from '@/list/saved-views';

/** Saved queries are the saved views of this list. */
const LIST = 'queryLab';

export interface SavedQuery {
  id: string;
  name: string;
  version: number;
  /** The query as JSON. Empty for a query of somebody else, which can only be run. */
  text: string;
  shared: boolean;
  /** User name of the owner. */
  owner: string;
  isOwn: boolean;
}

const stateSchema = v.pipe(v.string(), v.parseJson(), v.object({ query: v.string() }));

const writeState = (text: string) => JSON.stringify({ query: text });

/** The user's own saved queries by name, then those that others share. */
export function useSavedQueries() {
  const [{ data, error, fetching }, execute] = useQuery({
    query: savedViewsQuery,
    variables: { list: LIST },
    requestPolicy: 'cache-and-network',
    context: savedViewsContext,
  });
  const queries = useMemo(
    () =>
      data?.savedViews.map(({ id, name, version, state, shared, owner, isOwn }): SavedQuery => {
        const read = v.safeParse(stateSchema, state);
        return { id, name, version, text: read.success ? read.output.query : '', shared, owner, isOwn };
      }),
    [data],
  );
  return { queries, error, fetching, retry: () => execute({ requestPolicy: 'network-only' }) };
}

export function useSaveQuery() {
  const { create, update, remove } = useSaveView();
  return {
    create: (name: string, text: string, shared: boolean) => create(LIST, name, writeState(text), shared),
    update: (query: SavedQuery) => update(query, LIST, query.name, writeState(query.text), query.shared),
    remove,
  };
}
