import { type ComponentProps, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import * as v from 'valibot';
import { useAuth } from '@/auth/use-auth';
import { fetchAuthorized, type WebActionContext } from '@/data/web-actions';
import type { FormField } from '@/form/define-form';
import { atMost, limits } from '@/form/limits';
import { LookupField } from '@/form/lookup-field';
import type { FilterValue } from '@/list/filters-codec';
import type { Lookup } from '@/list/resource';
import { formatLocation } from '../location';
import { lookupPage, readLookup } from './lookups';
import { addressesLookup } from './queries';

export interface GeoPoint {
  lat: number;
  lng: number;
  accuracy: number | null;
}

/** Removes fields that GraphQL adds, such as `__typename`. */
export function plainPoint(point: GeoPoint | null | undefined): GeoPoint | null {
  return point ? { lat: point.lat, lng: point.lng, accuracy: point.accuracy } : null;
}

interface FoundAddress {
  address: string;
  point: GeoPoint | null;
}

const pointSchema = v.object({
  lat: v.pipe(v.number(), v.minValue(-90), v.maxValue(90)),
  lng: v.pipe(v.number(), v.minValue(-180), v.maxValue(180)),
  accuracy: v.nullish(v.number(), null),
});

// Geocoder results are external data; invalid ones are dropped.
const foundSchema = v.object({
  address: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(limits.address)),
  point: v.fallback(v.nullish(pointSchema, null), null),
});
const answerSchema = v.array(v.fallback(v.nullable(foundSchema), null));

/** Returns addresses that match a text, with their locations. Throws when the lookup fails. */
async function geocode(text: string, context: WebActionContext): Promise<FoundAddress[]> {
  const query = new URLSearchParams({ address: text });
  const response = await fetchAuthorized(`/geocode?${query}`, context);
  const answer = v.parse(answerSchema, await response.json());
  return answer.filter((found) => found !== null);
}

const LIMIT = 10;
/** Minimum text length; shorter text would match half of all addresses. */
const MIN_LENGTH = 3;

interface AddressLookup {
  lookup: Lookup;
  /** The location of the address of an option. */
  pointOf: (option: FilterValue) => GeoPoint | null;
}

/** Returns known addresses, followed by those of the geocoder. If one source fails, the other is still used. */
function useAddressLookup(): AddressLookup {
  const { getToken } = useAuth();
  return useMemo(() => {
    // By option, because an earlier search can end after a later one.
    const points = new WeakMap<FilterValue, GeoPoint | null>();
    const lookup: Lookup = {
      limit: LIMIT,
      async search(client, text, limit, signal) {
        if (text.length < MIN_LENGTH) return [];
        const asked = await Promise.allSettled([
          readLookup(client, addressesLookup, {
            page: lookupPage('address', 'contains', text, limit),
          }).then(({ addresses }) =>
            addresses.map(({ address, point }) => ({ address, point: plainPoint(point) })),
          ),
          geocode(text, { getToken, ...(signal && { signal }) }),
        ]);
        const all = asked.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
        const unique = new Map<string, FoundAddress>();
        for (const entry of all) {
          const same = entry.address.toLowerCase();
          // Both sources may find the same address; prefer the entry that has a location.
          if (!unique.get(same)?.point) unique.set(same, entry);
        }
        return [...unique.values()].map(({ address, point }) => {
          const option = { label: address, value: address };
          points.set(option, point);
          return option;
        });
      },
    };
    return { lookup, pointOf: (option) => points.get(option) ?? null };
  }, [getToken]);
}

export interface PlacedAddress {
  address: string;
  /** Null while the location of the address is unknown. */
  point: GeoPoint | null;
}

interface AddressFieldProps extends Pick<
  ComponentProps<typeof LookupField>,
  'label' | 'error' | 'optional' | 'onBlur' | 'name' | 'ref'
> {
  value: PlacedAddress;
  /** The saved address: typing it again restores its location. */
  saved: PlacedAddress;
  onChange: (value: PlacedAddress) => void;
}

/** An address field that keeps the location of an address chosen from the suggestions. */
function AddressField({ value, saved, onChange, ...field }: AddressFieldProps) {
  const { t } = useTranslation('lookups');
  const { lookup, pointOf } = useAddressLookup();

  function change(address: string, chosen: FilterValue | undefined) {
    const known = chosen ? pointOf(chosen) : null;
    onChange({ address, point: known ?? (address === saved.address ? saved.point : null) });
  }

  return (
    <LookupField
      {...field}
      lookup={lookup}
      value={value.address}
      onChange={change}
      hint={
        value.point
          ? t('address.placed', { point: formatLocation(value.point) })
          : t('address.notPlaced')
      }
    />
  );
}

const placedSchema = v.object({
  address: v.string(),
  point: v.nullable(v.object({ lat: v.number(), lng: v.number(), accuracy: v.nullable(v.number()) })),
});

/** Declares an optional address field of a form. */
export function placedAddress(): FormField<PlacedAddress, PlacedAddress, PlacedAddress> {
  const { maxLength } = atMost(limits.address);
  return {
    empty: { address: '', point: null },
    rules: () => ({ validate: { maxLength: ({ address }) => maxLength(address) } }),
    fill: (stored) => stored,
    send: ({ address, point }) => {
      const text = address.trim();
      return { address: text, point: text ? point : null };
    },
    accepts: (kept) => v.is(placedSchema, kept),
    draw: (bound, { saved }) => <AddressField {...bound} saved={saved} optional />,
  };
}
