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
