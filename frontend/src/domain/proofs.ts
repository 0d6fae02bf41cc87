/** What may be asked for to prove an outcome, in the order of asking. */
export const PROOFS = [
  'signature',
  'photo',
  'recipientName',
  'scan',
  'location',
  'note',
] as const;

export type Proof = (typeof PROOFS)[number];

/** Null leaves the choice to whoever stands behind; empty is a choice too: nothing. */
export type ProofSet = readonly string[] | null;

export type ProofMode = 'inherited' | 'chosen' | 'nothing';

export interface ProofChoice {
  mode: ProofMode;
  /** Kept while another mode is looked at. */
  proofs: readonly string[];
}

export function toProofChoice(set: ProofSet): ProofChoice {
  if (set === null) return { mode: 'inherited', proofs: [] };
  return { mode: set.length > 0 ? 'chosen' : 'nothing', proofs: set };
}

export function toProofSet({ mode, proofs }: ProofChoice): string[] | null {
  if (mode === 'inherited') return null;
  if (mode === 'nothing') return [];
  // In one order whatever the order of clicking; what this release does not know stays.
  const known = PROOFS.filter((proof) => proofs.includes(proof));
  return [...known, ...proofs.filter((proof) => !known.some((own) => own === proof))];
}
