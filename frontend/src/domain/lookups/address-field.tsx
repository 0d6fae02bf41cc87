import { type ComponentProps, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import * as v from 'valibot';
import { useAuth } from '@/auth/use-auth';
import type { FormField } from '@/form/define-form';
import { LookupField } from '@/form/lookup-field';
import type { Lookup } from '@/list/resource';
import { fetchAuthorized, type WebActionContext } from '@/uploads/web-actions';
import { formatPoint } from '../proof/place';
import { lookupPage, readLookup } from './lookups';
import { addressesLookup } from './queries';

export interface GeoPoint {
  lat: number;
  lng: number;
  accuracy: number | null;
}

/** Without what the answer of a query carries beside it. */
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

// What a provider says of an address comes from elsewhere: what does not fit is left out.
const foundSchema = v.object({
  address: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(500)),
  point: v.fallback(v.nullish(pointSchema, null), null),
});
const answerSchema = v.array(v.fallback(v.nullable(foundSchema), null));

/** Addresses a text may stand for, with their places. Throws when they cannot be asked for. */
async function geocode(text: string, context: WebActionContext): Promise<FoundAddress[]> {
  const query = new URLSearchParams({ address: text });
  const response = await fetchAuthorized(`/geocode?${query}`, context);
  const answer = v.parse(answerSchema, await response.json());
  return answer.filter((found) => found !== null);
}

const LIMIT = 10;
/** Less would match half of all addresses. */
const MIN_LENGTH = 3;

interface AddressLookup {
  lookup: Lookup;
  /** The place of an address that was found last. */
  pointOf: (address: string) => GeoPoint | null;
}

/** Addresses already known, then those the geocoder finds; each answers for itself if the other fails. */
function useAddressLookup(): AddressLookup {
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

export interface PlacedAddress {
  address: string;
  /** Null while the place of the address is not known. */
  point: GeoPoint | null;
}

interface AddressFieldProps extends Pick<
  ComponentProps<typeof LookupField>,
  'label' | 'error' | 'optional' | 'onBlur' | 'name' | 'ref'
> {
  value: PlacedAddress;
  /** As it is saved: whoever types that address again means that place. */
  saved: PlacedAddress;
  onChange: (value: PlacedAddress) => void;
}

const MAX_LENGTH = 500;

/** An address, with the place on the map of one that was chosen from the suggestions. */
export function AddressField({ value, saved, onChange, ...field }: AddressFieldProps) {
  const { t } = useTranslation('lookups');
  const { lookup, pointOf } = useAddressLookup();

  function change(address: string, isChosen: boolean) {
    const known = isChosen ? pointOf(address) : null;
    onChange({ address, point: known ?? (address === saved.address ? saved.point : null) });
  }

  return (
    <LookupField
      {...field}
      lookup={lookup}
      maxLength={MAX_LENGTH}
      value={value.address}
      onChange={(address, chosen) => change(address, chosen !== undefined)}
      hint={
        value.point
          ? t('address.placed', { point: formatPoint(value.point) })
          : t('address.notPlaced')
      }
    />
  );
}

/** The field of a form for an address that may be left out. */
export function placedAddress(): FormField<PlacedAddress, PlacedAddress, PlacedAddress> {
  return {
    empty: { address: '', point: null },
    fill: (stored) => stored,
    send: ({ address, point }) => {
      const text = address.trim();
      return { address: text, point: text ? point : null };
    },
    draw: (bound, { saved }) => <AddressField {...bound} saved={saved} optional />,
  };
}
