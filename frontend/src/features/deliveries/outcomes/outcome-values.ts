import { type FieldErrors, type UseFormReturn, useWatch } from 'react-hook-form';
import { useOfficeRules } from '@/data/use-office-rules';
import type { AttachmentsControl } from '@/domain/proof/use-attachments';
import { type FieldMessage, ruleMessage } from '@/form/rule-message';
import type { TextOf } from '@/i18n/texts';
import { toWallTime } from '@/lib/dates';
import type { Delivery, Relation } from '../delivery-queries';
import { asExpected, type LineValues } from '../lines';
import type { Reasons } from '../use-reasons';
import { failureProofs, keptOf, providedProofs, reasonsOfLines } from './proofs';

export type OutcomeKind = 'delivered' | 'undelivered' | 'rejected';

/** Form values of an outcome, named like the fields of the mutation's input, so that the server's errors find them. */
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
  /** Number of files; the files themselves are kept outside the form. */
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

/** Rules for latitude or longitude. If one is given, the other is required. */
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

interface RequiredProofOptions {
  delivery: Delivery;
  form: UseFormReturn<OutcomeValues>;
  kind: OutcomeKind;
  attachments: AttachmentsControl;
  reasons: Reasons;
}

export interface RequiredProof {
  /** The required proofs, by the server's names for them. */
  proofs: readonly string[];
  given: ReadonlySet<string>;
  /** How many attachments of each kind the attempt already had. */
  kept: { signature: number; photo: number };
  isNeeded: (proof: string) => boolean;
  /** Whether a photo or a note is required; one of them is enough. */
  isEitherNeeded: boolean;
  /** Whether a photo or a note is required and both are missing. */
  isEitherMissing: boolean;
}

/** A cancellation by the shipper needs no signature of a recipient. */
const CANCELLED = 'cancelled_by_shipper';

/**
 * Computes the required proof from the delivery (for completion), the settings (for a failed attempt) and the reasons.
 * The server checks it again.
 */
export function useRequiredProof({ delivery, form, kind, attachments, reasons }: RequiredProofOptions): RequiredProof {
  const values = useWatch({ control: form.control }) as OutcomeValues;
  const { failedAttemptProof } = useOfficeRules();
  const { outcomeReason, lines } = values;
  const kept = { signature: keptOf(delivery, 'signature'), photo: keptOf(delivery, 'photo') };
  const isChosen = (wanted: string) => attachments.entries.some((entry) => entry.kind === wanted);
  const given = providedProofs({
    signature: kept.signature > 0 || isChosen('signature'),
    photo: kept.photo > 0 || isChosen('photo'),
    receivedBy: values.receivedBy,
    scanned: values.scanmode,
    located: values.lat !== '' && values.lng !== '',
    note: values.outcomeNote,
  });

  const proofs = new Set<string>(
    kind === 'delivered'
      ? delivery.podRequirement
      : kind === 'undelivered'
        ? failureProofs(failedAttemptProof)
        : outcomeReason !== CANCELLED && values.receivedByRelation === ''
          ? ['recipientName']
          : [],
  );
  const reason = kind === 'delivered' ? undefined : reasons.find(kind, outcomeReason);
  const ofLines = kind === 'delivered' ? reasonsOfLines(delivery.items, lines, reasons) : [];
  if ([reason, ...ofLines].some((one) => one?.requiresPhoto)) proofs.add('photo');
  if (reason?.requiresNote) proofs.add('note');
  const isEitherNeeded = kind === 'undelivered' && failedAttemptProof === 'photo_or_note';
  return {
    proofs: [...proofs],
    given,
    kept,
    isNeeded: (proof) => proofs.has(proof),
    isEitherNeeded,
    isEitherMissing: isEitherNeeded && !given.has('photo') && !given.has('note'),
  };
}

const NAMES = [
  'outcomeReason',
  'outcomeNote',
  'receivedBy',
  'receivedByRelation',
  'occurredAt',
  'scanmode',
  'lat',
  'lng',
  'signature',
  'photos',
] as const;

/** Returns the error messages of all fields except the lines. */
export function proofMessages(
  errors: FieldErrors<OutcomeValues>,
  textOf: TextOf,
): FieldMessage[] {
  return NAMES.flatMap((name) => {
    const message = ruleMessage(textOf(`outcomes:fields.${name}`), errors[name]);
    return message ? [{ name, text: message }] : [];
  });
}
