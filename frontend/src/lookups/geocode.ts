import * as v from 'valibot';
import { fetchAuthorized, type WebActionContext } from '@/uploads/web-actions';
import type { GeoPoint } from './geo-point';

export interface FoundAddress {
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
export async function geocode(text: string, context: WebActionContext): Promise<FoundAddress[]> {
  const query = new URLSearchParams({ address: text });
  const response = await fetchAuthorized(`/geocode?${query}`, context);
  const answer = v.parse(answerSchema, await response.json());
  return answer.filter((found) => found !== null);
}
