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

/** Reads all rows that match the filters, as many as can be selected. */
export function useSelectAll<Row, Data>(
  resource: Resource<Row, Data>,
  { filters, sort }: ListState,
  timeZone: string,
  onFound: (rows: readonly Row[]) => void,
): SelectAll {
  const client = useClient();
  const [found, setFound] = useState<number>();
  // With other filters, or on another page of the app, the answer is no longer wanted.
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
    // By id, since rows move from page to page while they are read.
    const byId = new Map<string, Row>();
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
      for (const row of rows) byId.set(resource.rowId(row), row);
      setFound(byId.size);
      if (rows.length < PAGE) break;
    }
    setFound(undefined);
    onFound([...byId.values()]);
  }

  return { found, start };
}
