import { expect, it } from 'vitest';
import { toProofChoice, toProofSet } from './proofs';

it.each([
  [null, 'inherited'],
  [[], 'nothing'],
  [['signature', 'note'], 'chosen'],
] as const)('reads %j as %s, and writes it back', (set, mode) => {
  const choice = toProofChoice(set);
  expect(choice.mode).toBe(mode);
  expect(toProofSet(choice)).toEqual(set);
});

it('writes in one order, and keeps what it does not know', () => {
  const proofs = ['note', 'fingerprint', 'signature'];
  expect(toProofSet({ mode: 'chosen', proofs })).toEqual(['signature', 'note', 'fingerprint']);
  expect(toProofSet({ mode: 'inherited', proofs })).toBeNull();
  expect(toProofSet({ mode: 'nothing', proofs })).toEqual([]);
});
