import { type ProofChoice, toProofChoice, toProofSet } from '@/proof-rules/proofs';
import type { Source } from './queries';

/** The fields of the forms, named as the server names them when it refuses one. */
export interface SourceValues {
  name: string;
  isActive: boolean;
  podRequirement: ProofChoice;
}

export const SOURCE_FIELDS = ['name', 'isActive', 'podRequirement'] as const;

export const NEW_SOURCE: SourceValues = {
  name: '',
  isActive: true,
  podRequirement: toProofChoice(null),
};

export function sourceValues({ name, isActive, podRequirement }: Source): SourceValues {
  return { name, isActive, podRequirement: toProofChoice(podRequirement) };
}

export function sourceInput({ name, isActive, podRequirement }: SourceValues) {
  return { name: name.trim(), isActive, podRequirement: toProofSet(podRequirement) };
}
