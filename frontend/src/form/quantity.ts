const WRITTEN = /^\s*-?\d{1,10}(?:\.\d{1,3})?\s*$/;
const MOST = 1_000_000_000;

/** The amount that was typed, to the thousandth; undefined when it is none. */
export function readQuantity(text: string): number | undefined {
  return WRITTEN.test(text) ? Number(text) : undefined;
}

/** An amount as it is typed: no grouping, no needless zeros. */
export function writeQuantity(amount: number): string {
  return String(Math.round(amount * 1000) / 1000);
}

interface QuantityRules {
  min?: number;
  max?: number;
  optional?: boolean;
}

/** Rules of a field of text that holds an amount. */
export function quantityRules({ min = 0, max = MOST, optional = false }: QuantityRules = {}) {
  return { required: !optional, pattern: WRITTEN, min, max };
}
