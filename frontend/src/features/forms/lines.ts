import type { FormContent, FormItem } from './queries';

export interface FormLine {
  item: FormItem;
  difference: number;
  /** The reasons of its variances, and what was noted to them. */
  reasons: string[];
  notes: string[];
  hasVariance: boolean;
}

/** Quantities have three decimals, which sums of floating point do not keep. */
const exact = (amount: number) => Math.round(amount * 1000) / 1000;

const known = (texts: readonly (string | null)[]) => [
  ...new Set(texts.filter((text): text is string => Boolean(text))),
];

export function formLines({ items, variances }: Pick<FormContent, 'items' | 'variances'>): FormLine[] {
  return items.map((item) => {
    const own = variances.filter(({ itemNumber }) => itemNumber === item.itemNumber);
    return {
      item,
      difference: exact(item.quantityDelivered - item.quantity),
      reasons: known(own.map(({ reason }) => reason)),
      notes: known([item.varianceNote, ...own.map(({ note }) => note)]),
      hasVariance: own.length > 0,
    };
  });
}

export interface FormTotals {
  expected: number;
  delivered: number;
  rejected: number;
  difference: number;
}

/** Sums of the lines; none where they count different things. */
export function formTotals(lines: readonly FormLine[]): FormTotals | undefined {
  if (new Set(lines.map(({ item }) => item.unit)).size > 1) return undefined;
  const sum = (amount: (line: FormLine) => number) =>
    exact(lines.reduce((total, line) => total + amount(line), 0));
  return {
    expected: sum(({ item }) => item.quantity),
    delivered: sum(({ item }) => item.quantityDelivered),
    rejected: sum(({ item }) => item.quantityRejected),
    difference: sum(({ difference }) => difference),
  };
}
