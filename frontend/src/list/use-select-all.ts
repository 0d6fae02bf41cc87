import { useEffect, useRef, useState } from 'react';
import { useClient } from 'urql';
import { errorText, normalizeError } from '@/data/errors';
import { toast } from '@/ui/toast';
import type { ListState } from './list-state';
import { MAX_SELECTED, type Resource } from './resource';
import { toWhere } from './to-where';

const PAGE = 100;

interface SelectAll {
  /** How many are found so far; undefined while nothing is asked. */
  found: number | undefined;
  start: () => Promise<void>;
}

/** Reads the ids of everything the filters let through, as far as a selection goes. */
export function useSelectAll<Row, Data>(
  resource: Resource<Row, Data>,
  { filters, sort }: ListState,
  timeZone: string,
  onFound: (ids: readonly string[]) => void,
): SelectAll {
  const client = useClient();
  const [found, setFound] = useState<number>();
  // Other filters, or another page of the app, and nobody waits for it any more.
  const subject = useRef<object>(undefined);
  useEffect(() => {
    subject.current = {};
    setFound(undefined);
    return () => {
      subject.current = undefined;
    };
  }, [filters, sort]);

  async function start() {
    const own = subject.current;
    const where = toWhere(filters, timeZone, resource.filters);
    // A set, since rows move from page to page while they are read.
    const ids = new Set<string>();
    setFound(0);
    for (let offset = 0; offset < MAX_SELECTED; offset += PAGE) {
      const page = { where, sort, limit: PAGE, offset };
      const { data, error } = await client
        .query(resource.document, { page, where }, { requestPolicy: 'network-only' })
        .toPromise();
      if (own !== subject.current) return;
      if (!data) {
        setFound(undefined);
        toast.error(errorText(normalizeError(error)));
        return;
      }
      const { rows } = resource.toList(data);
      for (const row of rows) ids.add(resource.rowId(row));
      setFound(ids.size);
      if (rows.length < PAGE) break;
    }
    setFound(undefined);
    onFound([...ids]);
  }

  return { found, start };
}
