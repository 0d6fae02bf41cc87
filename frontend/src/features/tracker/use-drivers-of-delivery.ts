import { useEffect, useState } from 'react';
import { useClient } from 'urql';
import { findDriversByDeliveryQuery } from './queries';

const DEBOUNCE_MS = 300;
const LEAST_LETTERS = 3;
const NOBODY: ReadonlySet<string> = new Set();

/** Who has deliveries whose document contains a text; nobody while that is not known. */
export function useDriversOfDelivery(text: string): ReadonlySet<string> {
  const client = useClient();
  const [found, setFound] = useState<{ text: string; ids: ReadonlySet<string> }>();
  useEffect(() => {
    if (text.length < LEAST_LETTERS) return undefined;
    let isOver = false;
    const timer = setTimeout(async () => {
      const page = {
        where: [{ key: 'id', operator: 'contains' as const, values: [text] }],
        sort: [],
        limit: 30,
        offset: 0,
      };
      const { data } = await client.query(findDriversByDeliveryQuery, { page }).toPromise();
      if (isOver || !data) return;
      const ids = data.deliveries.flatMap(({ driverId }) => driverId ?? []);
      setFound({ text, ids: new Set(ids) });
    }, DEBOUNCE_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [client, text]);
  return found?.text === text && text.length >= LEAST_LETTERS ? found.ids : NOBODY;
}
