import { useMemo } from 'react';
import { useAuth } from '@/auth/use-auth';
import type { Lookup } from '@/list/resource';
import { type FoundAddress, geocode } from './geocode';
import { type GeoPoint, plainPoint } from './geo-point';
import { lookupPage, readLookup } from './lookups';
import { addressesLookup } from './queries';

const LIMIT = 10;
/** Less would match half of all addresses. */
const MIN_LENGTH = 3;

interface AddressLookup {
  lookup: Lookup;
  /** The place of an address that was found last. */
  pointOf: (address: string) => GeoPoint | null;
}

/** Addresses already known, then those the geocoder finds; each answers for itself if the other fails. */
export function useAddressLookup(): AddressLookup {
  const { getToken } = useAuth();
  return useMemo(() => {
    const found = new Map<string, GeoPoint | null>();
    const lookup: Lookup = {
      limit: LIMIT,
      async search(client, text, limit) {
        if (text.length < MIN_LENGTH) return [];
        const asked = await Promise.allSettled([
          readLookup(client, addressesLookup, {
            page: lookupPage('address', 'contains', text, limit),
          }).then(({ addresses }) =>
            addresses.map(({ address, point }) => ({ address, point: plainPoint(point) })),
          ),
          geocode(text, { getToken }),
        ]);
        const all = asked.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
        const unique = new Map<string, FoundAddress>();
        for (const entry of all) {
          const same = entry.address.toLowerCase();
          // The same address may be known without its place.
          if (!unique.get(same)?.point) unique.set(same, entry);
        }
        found.clear();
        for (const { address, point } of unique.values()) found.set(address, point);
        return [...found.keys()].map((address) => ({ label: address, value: address }));
      },
    };
    return { lookup, pointOf: (address) => found.get(address) ?? null };
  }, [getToken]);
}
