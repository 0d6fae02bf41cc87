import { useEffect, useState } from 'react';
import { useClient } from 'urql';
import type { FilterValue } from './filters-codec';
import type { Lookup } from './resource';

export const LOOKUP_DEBOUNCE_MS = 300;

export interface LookupResult {
  options: FilterValue[];
  loading: boolean;
}

const NOTHING: LookupResult = { options: [], loading: false };

/** Returns suggestions for the typed text; none if the lookup fails. */
export function useLookup(lookup: Lookup | undefined, text: string): LookupResult {
  const client = useClient();
  const [result, setResult] = useState<LookupResult>(NOTHING);

  useEffect(() => {
    if (!lookup) {
      setResult(NOTHING);
      return undefined;
    }
    const search = new AbortController();
    setResult((previous) => ({ ...previous, loading: true }));
    const timer = setTimeout(() => {
      lookup
        .search(client, text.trim(), lookup.limit, search.signal)
        .catch(() => [])
        .then((options) => {
          if (!search.signal.aborted) setResult({ options: options.slice(0, lookup.limit), loading: false });
        });
    }, LOOKUP_DEBOUNCE_MS);
    return () => {
      search.abort();
      clearTimeout(timer);
    };
  }, [client, lookup, text]);

  return result;
}
