import { expect, it } from 'vitest';
import { formLines, formTotals } from './lines';
import type { FormContent, FormItem } from './queries';

function item(itemNumber: string, quantity: number, quantityDelivered: number, unit = 'box') {
  return {
    itemNumber,
    quantity,
    quantityDelivered,
    quantityRejected: 0,
    unit,
    varianceNote: null,
  } as FormItem;
}

type Variance = FormContent['variances'][number];
const variance = (id: string, itemNumber: string | null, reason: string | null, note: string | null) =>
  ({ id, itemNumber, reason, note }) as Variance;

it('puts the variances to their lines, each text once', () => {
  const lines = formLines({
    items: [item('10', 40, 40), item('20', 24, 22.5)],
    variances: [
      variance('v1', '20', 'Damaged in transit', 'Leaked'),
      variance('v2', '20', 'Damaged in transit', null),
      variance('v3', null, 'Price or document mismatch', null),
    ],
  });
  expect(lines.map(({ difference }) => difference)).toEqual([0, -1.5]);
  expect(lines.map(({ hasVariance }) => hasVariance)).toEqual([false, true]);
  expect(lines[1]).toMatchObject({ reasons: ['Damaged in transit'], notes: ['Leaked'] });
});

it('sums to the third decimal', () => {
  const lines = formLines({
    items: [item('1', 0.1, 0.1), item('2', 0.2, 0.2), item('3', 0.3, 0)],
    variances: [],
  });
  expect(formTotals(lines)).toEqual({
    expected: 0.6,
    delivered: 0.3,
    rejected: 0,
    difference: -0.3,
  });
});

it('sums no boxes and kilograms', () => {
  const lines = formLines({ items: [item('1', 1, 1), item('2', 2, 2, 'kg')], variances: [] });
  expect(formTotals(lines)).toBeUndefined();
});
