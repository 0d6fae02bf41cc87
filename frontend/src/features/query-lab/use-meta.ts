import { useCallback, useEffect, useState } from 'react';
import { loadMeta } from '@/analytics/client';
import type { AnalyticsMeta, MetaMember } from '@/analytics/query';
import { useAuth } from '@/auth/use-auth';

export interface Members {
  measures: readonly MetaMember[];
  /** Without the times. */
  dimensions: readonly MetaMember[];
  times: readonly MetaMember[];
  titleOf: (name: string) => string;
}

function membersOf({ cubes }: AnalyticsMeta): Members {
  const all = cubes.flatMap(({ dimensions }) => dimensions);
  const measures = cubes.flatMap((cube) => cube.measures);
  const titles = new Map([...all, ...measures].map(({ name, title }) => [name, title]));
  return {
    measures,
    dimensions: all.filter(({ type }) => type !== 'time'),
    times: all.filter(({ type }) => type === 'time'),
    titleOf: (name) => titles.get(name) ?? name,
  };
}

/** What queries can be made of. */
export function useMeta() {
  const { getToken } = useAuth();
  const [members, setMembers] = useState<Members>();
  const [error, setError] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    setError(undefined);
    loadMeta({ getToken, signal: controller.signal }).then(
      (meta) => setMembers(membersOf(meta)),
      (failed: unknown) => {
        if (!controller.signal.aborted) setError(failed);
      },
    );
    return () => controller.abort();
  }, [getToken, attempt]);
  const retry = useCallback(() => setAttempt((count) => count + 1), []);
  return { members, error, retry };
}
