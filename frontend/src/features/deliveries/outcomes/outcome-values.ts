import { toWallTime } from '@/lib/dates';
import type { Delivery, Relation } from '../delivery-queries';
import { asExpected, type LineValues } from '../lines';

export type OutcomeKind = 'delivered' | 'undelivered' | 'rejected';

/** The form of an outcome. Its names are those of what is sent, so that errors find their field. */
export interface OutcomeValues {
  kind: OutcomeKind;
  lines: LineValues[];
  outcomeReason: string;
  outcomeNote: string;
  receivedBy: string;
  receivedByRelation: Relation | '';
  scanmode: boolean;
  occurredAt: string;
  lat: string;
  lng: string;
  /** How many files there are; the files themselves are beside the form. */
  signature: number;
  photos: number;
}

export function initialValues(
  delivery: Delivery,
  kind: OutcomeKind,
  timeZone: string,
): OutcomeValues {
  return {
    kind,
    lines: delivery.items.map(asExpected),
    outcomeReason: '',
    outcomeNote: '',
    receivedBy: '',
    receivedByRelation: '',
    scanmode: false,
    occurredAt: toWallTime(new Date(), timeZone),
    lat: '',
    lng: '',
    signature: 0,
    photos: 0,
  };
}

const COORDINATE = /^-?\d{1,3}(?:\.\d+)?$/;

/** Rules of one half of a place; both halves or none. */
export function coordinateRules(other: 'lat' | 'lng') {
  return {
    pattern: COORDINATE,
    min: other === 'lng' ? -90 : -180,
    max: other === 'lng' ? 90 : 180,
    validate: {
      required: (text: string, values: OutcomeValues) => text !== '' || values[other] === '',
    },
  };
}
