import type { Delivery, DeliveryItem, Reason } from '../delivery-queries';
import { countOf, type LineValues, wantsReason } from '../lines';
import type { Reasons } from '../use-reasons';

/** Proof provided with an outcome. */
interface ProvidedProof {
  signature: boolean;
  photo: boolean;
  receivedBy: string;
  scanned: boolean;
  located: boolean;
  note: string;
}

/** Returns the provided proofs, by the server's names for them. */
export function providedProofs(proof: ProvidedProof): ReadonlySet<string> {
  const proofs: [string, boolean][] = [
    ['signature', proof.signature],
    ['photo', proof.photo],
    ['recipientName', proof.receivedBy.trim() !== ''],
    ['scan', proof.scanned],
    ['location', proof.located],
    ['note', proof.note.trim() !== ''],
  ];
  return new Set(proofs.filter(([, isThere]) => isThere).map(([name]) => name));
}

type Files = Pick<Delivery, 'attempt' | 'attachments'>;

/** Returns the files that the current attempt already has. */
export function filesOf({ attempt, attachments }: Files): Delivery['attachments'] {
  return attachments.filter((entry) => entry.attempt === attempt);
}

/** Returns how many files of one kind the current attempt already has. */
export function keptOf(delivery: Files, kind: string): number {
  return filesOf(delivery).filter((entry) => entry.kind === kind).length;
}

/** Returns the reasons of the lines that take one. */
export function reasonsOfLines(
  items: readonly DeliveryItem[],
  lines: readonly LineValues[],
  reasons: Reasons,
): Reason[] {
  const typed = new Map(lines.map((line) => [line.itemNumber, line]));
  return items.flatMap((item) => {
    const line = typed.get(item.itemNumber);
    const count = line && countOf(line, item.quantity);
    if (!count || !wantsReason(count)) return [];
    return reasons.find('variance', line.varianceReason) ?? [];
  });
}

const PROOF_OF_FAILURE: Readonly<Record<string, readonly string[]>> = { photo: ['photo'], note: ['note'] };

/** Returns the proofs that the setting requires for a failed attempt. Returns none if one of several is enough. */
export function failureProofs(rule: string): readonly string[] {
  return PROOF_OF_FAILURE[rule] ?? [];
}
