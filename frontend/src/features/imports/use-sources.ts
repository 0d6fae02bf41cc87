import { useMemo, useState } from 'react';
import { useQuery } from 'urql';
import { activeSourcesQuery } from './queries';

export interface Source {
  id: string;
  name: string;
}

export interface SourcesControl {
  sources: Source[];
  chosen: string | undefined;
  choose: (id: string) => void;
  loading: boolean;
  failed: boolean;
  retry: () => void;
}

const DEFAULT_NAME = 'Default';
const LIMIT = 100;
const NONE: Source[] = [];

const variables = {
  page: {
    where: [{ key: 'isActive', operator: 'equals', values: ['true'] }],
    sort: [{ key: 'name', direction: 'asc' as const }],
    limit: LIMIT,
    offset: 0,
  },
};
const context = { additionalTypenames: ['Source'] };

/** Loads the sources for an import. Preselects the one named Default, or else the first. */
export function useSources(): SourcesControl {
  const [{ data, fetching, error }, execute] = useQuery({
    query: activeSourcesQuery,
    variables,
    context,
  });
  const [picked, setPicked] = useState<string>();
  const sources = data?.sources ?? NONE;
  const chosen = useMemo(() => {
    const find = (test: (source: Source) => boolean) => sources.find(test)?.id;
    return (
      find(({ id }) => id === picked) ?? find(({ name }) => name === DEFAULT_NAME) ?? sources[0]?.id
    );
  }, [sources, picked]);
  return {
    sources,
    chosen,
    choose: setPicked,
    loading: fetching && !data,
    failed: Boolean(error) && !data,
    retry: () => execute({ requestPolicy: 'network-only' }),
  };
}
