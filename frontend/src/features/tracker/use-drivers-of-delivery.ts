import { useEffect, useState } from 'react';
import { useClient } from 'urql';
import { UNCACHED } from '@/data/client';
import { type Day, dayRangeToInstants } from '@/lib/dates';
import { findDriversByDeliveryQuery } from './queries';

const DEBOUNCE_MS = 300;
const LEAST_LETTERS = 3;
/** The server's limit for a page. */
const MAX_DELIVERIES = 100;

interface Found {
  /** IDs of drivers with a matching delivery. */
  ids: ReadonlySet<string>;
  /** Whether more deliveries match than were read. */
  hasMore: boolean;
}

const NOTHING: Found = { ids: new Set(), hasMore: false };

/**
 * Finds drivers with deliveries whose ID contains a text. Reads today's matches separately from the latest matches of all
 * days, which may be too many to include today's. Empty until loaded.
 */
export function useDriversOfDelivery(text: string, today: Day, timeZone: string): Found {
  const client = useClient();
  const [found, setFound] = useState<Found & { text: string }>();
  useEffect(() => {
    if (text.length < LEAST_LETTERS) return undefined;
    let isOver = false;
    const timer = setTimeout(async () => {
      const matching = [
        { key: 'id', operator: 'contains', values: [text] },
        { key: 'driverId', operator: '!isEmpty', values: [] },
      ];
      const planned = dayRangeToInstants({ from: today, to: today }, timeZone);
      const page = { sort: [], limit: MAX_DELIVERIES, offset: 0 };
      const variables = {
        today: { ...page, where: [...matching, { key: 'scheduledatetime', operator: 'inDateRange', values: planned }] },
        latest: { ...page, where: matching },
      };
      const { data } = await client.query(findDriversByDeliveryQuery, variables, UNCACHED).toPromise();
      if (isOver || !data) return;
      const pages = [data.today, data.latest];
      setFound({
        text,
        ids: new Set(pages.flat().flatMap(({ driverId }) => driverId ?? [])),
        hasMore: pages.some(({ length }) => length === MAX_DELIVERIES),
      });
    }, DEBOUNCE_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [client, text, today, timeZone]);
  return found?.text === text && text.length >= LEAST_LETTERS ? found : NOTHING;
}
