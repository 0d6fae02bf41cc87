import type { TFunction } from 'i18next';
import { type FieldErrors, type UseFormReturn, useWatch } from 'react-hook-form';
import { useOfficeRules } from '@/data/use-office-rules';
import type { EvidenceControl } from '@/domain/proof/use-evidence';
import { type FieldMessage, ruleMessage } from '@/form/rule-message';
import { toWallTime } from '@/lib/dates';
import type { Delivery, Relation } from '../delivery-queries';
import { asExpected, countOf, type LineValues, wantsReason } from '../lines';
import type { Reasons } from '../use-reasons';
import { failureProofs, givenProofs } from './proofs';

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

interface NeededOptions {
  delivery: Delivery;
  form: UseFormReturn<OutcomeValues>;
  kind: OutcomeKind;
  evidence: EvidenceControl;
  reasons: Reasons;
}

export interface Needed {
  /** What has to prove this outcome, by the names of the requirement. */
  proofs: readonly string[];
  given: ReadonlySet<string>;
  /** Kept with this attempt before the form was opened. */
  kept: { signature: number; photo: number };
  isNeeded: (proof: string) => boolean;
  /** A photo or a note is asked for, whichever. */
  isEitherNeeded: boolean;
  /** The same, and neither is there. */
  isEitherMissing: boolean;
}

/** The shipper who cancels needs nobody at the door to refuse. */
const CANCELLED = 'cancelled_by_shipper';

/**
 * What an outcome has to be proved with: the delivery says what completing it needs, the settings what a failed
 * attempt needs, and the reasons what they need. The server checks all of it again.
 */
export function useNeeded({ delivery, form, kind, evidence, reasons }: NeededOptions): Needed {
  const values = useWatch({ control: form.control }) as OutcomeValues;
  const { failedAttemptProof } = useOfficeRules();
  const { outcomeReason, lines } = values;
  const own = delivery.attachments.filter(({ attempt }) => attempt === delivery.attempt);
  const keptOf = (wanted: string) => own.filter((entry) => entry.kind === wanted).length;
  const kept = { signature: keptOf('signature'), photo: keptOf('photo') };
  const isChosen = (wanted: string) => evidence.entries.some((entry) => entry.kind === wanted);
  const given = givenProofs({
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
  const typed = new Map(lines.map((line) => [line.itemNumber, line]));
  const ofLines =
    kind === 'delivered'
      ? delivery.items.flatMap((item) => {
          const line = typed.get(item.itemNumber);
          const count = line && countOf(line, item.quantity);
          return count && wantsReason(count)
            ? [reasons.find('variance', line.varianceReason)]
            : [];
        })
      : [];
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

/** Returns the messages of the form's fields, without its lines. */
export function proofMessages(
  errors: FieldErrors<OutcomeValues>,
  t: TFunction<['outcomes', 'common', 'form']>,
): FieldMessage[] {
  return NAMES.flatMap((name) => {
    const message = ruleMessage(t(`fields.${name}`), errors[name]);
    return message ? [{ name, text: message }] : [];
  });
}
