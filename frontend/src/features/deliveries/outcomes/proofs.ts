import type { Delivery } from '../delivery-queries';

/** What there is to prove an outcome with. */
export interface Given {
  signature: boolean;
  photo: boolean;
  receivedBy: string;
  scanned: boolean;
  located: boolean;
  note: string;
}

/** The proofs that are there, by the names the requirement has for them. */
export function givenProofs(given: Given): ReadonlySet<string> {
  const proofs: [string, boolean][] = [
    ['signature', given.signature],
    ['photo', given.photo],
    ['recipientName', given.receivedBy.trim() !== ''],
    ['scan', given.scanned],
    ['location', given.located],
    ['note', given.note.trim() !== ''],
  ];
  return new Set(proofs.filter(([, isThere]) => isThere).map(([name]) => name));
}

/** The field of the form that gives a proof, by the names the server has for them too. */
export const proofFields: Readonly<Record<string, ProofField>> = {
  signature: 'signature',
  photo: 'photos',
  recipientName: 'receivedBy',
  scan: 'scanmode',
  location: 'location',
  note: 'outcomeNote',
};

export type ProofField =
  | 'signature'
  | 'photos'
  | 'receivedBy'
  | 'scanmode'
  | 'location'
  | 'outcomeNote';

/** How many files the present attempt has already. */
export function filesOf({ attempt, attachments }: Pick<Delivery, 'attempt' | 'attachments'>): number {
  return attachments.filter((entry) => entry.attempt === attempt).length;
}

const PROOF_OF_FAILURE: Readonly<Record<string, readonly string[]>> = { photo: ['photo'], note: ['note'] };

/** What proves a failed attempt, by the setting; one that leaves the choice is not here. */
export function failureProofs(rule: string): readonly string[] {
  return PROOF_OF_FAILURE[rule] ?? [];
}
