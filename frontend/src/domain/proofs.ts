/** Kinds of proof, in display order. */
export const PROOFS = [
  'signature',
  'photo',
  'recipientName',
  'scan',
  'location',
  'note',
] as const;

/** Null inherits the requirement; an empty set requires nothing. */
export type ProofSet = readonly string[] | null;

export type ProofMode = 'inherited' | 'chosen' | 'nothing';

export interface ProofChoice {
  mode: ProofMode;
  /** Kept while another mode is selected, so that switching back restores it. */
  proofs: readonly string[];
}

export function toProofChoice(set: ProofSet): ProofChoice {
  if (set === null) return { mode: 'inherited', proofs: [] };
  return { mode: set.length > 0 ? 'chosen' : 'nothing', proofs: set };
}

export function toProofSet({ mode, proofs }: ProofChoice): string[] | null {
  if (mode === 'inherited') return null;
  if (mode === 'nothing') return [];
  // Proofs are in canonical order. Proofs that this release does not know are kept.
  const known = PROOFS.filter((proof) => proofs.includes(proof));
  return [...known, ...proofs.filter((proof) => !known.some((own) => own === proof))];
}
