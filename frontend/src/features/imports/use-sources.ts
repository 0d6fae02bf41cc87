import type { Client } from '@urql/core';
import { useEffect, useMemo, useState } from 'react';
import { useClient } from 'urql';
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
/** Maximum number of rows that the server returns per page. */
const LIMIT = 100;
const NONE: Source[] = [];

const page = {
  where: [{ key: 'isActive', operator: 'equals', values: ['true'] }],
  sort: [{ key: 'name', direction: 'asc' as const }],
  limit: LIMIT,
};
const context = { additionalTypenames: ['Source'], requestPolicy: 'network-only' as const };

/** Reads all active sources, page by page. */
async function readSources(client: Client, offset = 0): Promise<Source[]> {
  const variables = { page: { ...page, offset } };
  const { data, error } = await client.query(activeSourcesQuery, variables, context).toPromise();
  if (!data) throw error ?? new Error('The query returned no data');
  const { sources } = data;
  if (sources.length < LIMIT) return sources;
  return [...sources, ...(await readSources(client, offset + LIMIT))];
}

/** Loads the sources for an import. Preselects the one named Default, or else the first. */
export function useSources(): SourcesControl {
  const client = useClient();
  const [attempt, setAttempt] = useState(1);
  const [read, setRead] = useState<{ attempt: number; sources?: Source[] }>();
  useEffect(() => {
    let isCurrent = true;
    const finish = (sources?: Source[]) => {
      if (isCurrent) setRead({ attempt, ...(sources && { sources }) });
    };
    readSources(client).then(finish, () => finish());
    return () => {
      isCurrent = false;
    };
  }, [client, attempt]);
  const [picked, setPicked] = useState<string>();
  const sources = read?.sources ?? NONE;
  const chosen = useMemo(() => {
    const find = (test: (source: Source) => boolean) => sources.find(test)?.id;
    return (
      find(({ id }) => id === picked) ?? find(({ name }) => name === DEFAULT_NAME) ?? sources[0]?.id
    );
  }, [sources, picked]);
  const loading = read?.attempt !== attempt;
  return {
    sources,
    chosen,
    choose: setPicked,
    loading,
    failed: !loading && !read?.sources,
    retry: () => setAttempt((now) => now + 1),
  };
}
