import type { Delivery } from '../delivery-queries';

/** Proof provided with an outcome. */
export interface Given {
  signature: boolean;
  photo: boolean;
  receivedBy: string;
  scanned: boolean;
  located: boolean;
  note: string;
}

/** Returns the provided proofs, by the server's names for them. */
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

/** The form field that provides a proof, by the server's name for it. */
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

/** Returns how many files the current attempt already has. */
export function filesOf({ attempt, attachments }: Pick<Delivery, 'attempt' | 'attachments'>): number {
  return attachments.filter((entry) => entry.attempt === attempt).length;
}

const PROOF_OF_FAILURE: Readonly<Record<string, readonly string[]>> = { photo: ['photo'], note: ['note'] };

/** Returns the proofs that the setting requires for a failed attempt. Returns none if one of several is enough. */
export function failureProofs(rule: string): readonly string[] {
  return PROOF_OF_FAILURE[rule] ?? [];
}
