import { describe, expect, it } from 'vitest';
import { inputOf, valuesOf } from '@/form/define-form';
import { completedDelivery, deliveryItem, fullDelivery, historyStep } from '@/test/delivery';
import { layOut } from './actions';
import { attemptAsked, attemptOf } from './attempts';
import type { Delivery, DeliveryItem, ItemCondition } from './delivery-queries';
import { differencesBetween } from './differences';
import { headForm } from './edit/head-form';
import { nextItem } from './edit/item-values';
import {
  asCounted,
  asExpected,
  countOf,
  formatDifference,
  impliedStatus,
  mergeLines,
  toInput,
  wantsReason,
} from './lines';

const delivery = (changes = {}) => fullDelivery(changes) as unknown as Delivery;
const item = (number: string, changes = {}) => deliveryItem(number, changes) as unknown as DeliveryItem;

describe('lines', () => {
  const count = (quantity: number, delivered: number, rejected = 0, condition: ItemCondition = 'ok') => ({
    quantity,
    quantityDelivered: delivered,
    quantityRejected: rejected,
    condition,
  });

  it.each([
    ['nothing at all', [], undefined],
    ['nothing expected, nothing came', [count(0, 0)], undefined],
    ['all as expected', [count(5, 5), count(0, 0)], 'Complete_No_Variance'],
    ['one short', [count(5, 5), count(3, 2)], 'Complete_With_Variance'],
    ['all there, one damaged', [count(5, 5, 0, 'damaged')], 'Complete_With_Variance'],
    ['more than expected', [count(5, 6)], 'Complete_With_Variance'],
    ['nothing came', [count(5, 0)], 'Undelivered'],
    ['all refused', [count(5, 0, 5), count(2, 0, 2)], 'Rejected'],
    ['some refused, nothing taken', [count(5, 0, 5), count(2, 0)], 'Undelivered'],
    ['a hair that is none', [count(0.3, 0.1 + 0.2)], 'Complete_No_Variance'],
  ])('imply a status: %s', (_, lines, status) => {
    expect(impliedStatus(lines)).toBe(status);
  });

  it('have a sign', () => {
    expect(formatDifference({ quantity: 24, quantityDelivered: 22 })).toBe('−2');
    expect(formatDifference({ quantity: 0.3, quantityDelivered: 0.5 })).toBe('+0.2');
    expect(formatDifference({ quantity: 1, quantityDelivered: 1 })).toBe('0');
  });

  it('are no count while a box holds no amount', () => {
    const line = asExpected(item('1'));
    expect(countOf({ ...line, quantityDelivered: 'x' }, 24)).toBeUndefined();
    expect(countOf({ ...line, quantityRejected: '-1' }, 24)).toBeUndefined();
    expect(countOf({ ...line, quantityDelivered: '' }, 24)).toBeUndefined();
  });

  it('send a reason only where something differs', () => {
    const line = { ...asExpected(item('1')), varianceReason: 'other', varianceNote: ' ' };
    expect(toInput(line, 24)).toMatchObject({ varianceReason: null, varianceNote: null });
    expect(toInput({ ...line, quantityDelivered: '23' }, 24)).toMatchObject({ varianceReason: 'other' });
    expect(wantsReason(count(24, 24, 1))).toBe(true);
  });

  it('are merged by item: typed ones stay, untouched ones follow', () => {
    const before = [item('1'), item('2'), item('3')];
    const typed = before.map(asExpected);
    typed[1] = { ...asExpected(item('2')), quantityDelivered: '7' };
    const after = [item('4'), item('2', { quantity: 50 }), item('1', { quantity: 30 })];
    expect(mergeLines(before, after, typed, asExpected).map((line) => [line.itemNumber, line.quantityDelivered])).toEqual([
      ['4', '24'],
      ['2', '7'],
      ['1', '30'],
    ]);
    expect(asCounted(item('1', { quantityDelivered: 3, varianceReason: 'other' }))).toMatchObject({
      quantityDelivered: '3',
      varianceReason: 'other',
    });
  });
});

describe('attempts', () => {
  const two = delivery({
    attempt: 2,
    outcomeNote: 'now',
    history: [
      historyStep('end', {
        toStatus: 'Undelivered',
        note: 'Gate locked',
        receivedAt: '2026-11-20T02:00:00Z',
      }),
      historyStep('start', { receivedAt: '2026-11-19T02:00:00Z' }),
      historyStep('aside', {
        toStatus: 'Rejected',
        superseded: true,
        receivedAt: '2026-11-20T05:00:00Z',
      }),
      historyStep('again', { attempt: 2, receivedAt: '2026-11-20T04:00:00Z' }),
    ],
  });

  it('of the past are known from the step that ended them', () => {
    expect(attemptOf(two, 1)).toMatchObject({ status: 'Undelivered', note: 'Gate locked', isCurrent: false });
    expect(attemptOf(two, 1).history.map(({ id }) => id)).toEqual(['start', 'end', 'aside']);
    expect(attemptOf(two, 2)).toMatchObject({ status: 'Pending', note: 'now', isCurrent: true });
  });

  it('of the past keep what happened, whatever their correction said', () => {
    const change = (field: string, before: string | null, after: string | null = null, itemNumber: string | null = null) =>
      ({ __typename: 'FieldChange', itemNumber, field, before, after });
    const corrected = delivery({
      attempt: 2,
      history: [
        historyStep('done', {
          toStatus: 'Complete_No_Variance',
          note: 'Left with Carla',
          occurredAt: '2026-11-20T02:00:00Z',
          receivedAt: '2026-11-20T02:40:00Z',
          late: true,
          point: { lat: 14.56, lng: 121.02, accuracy: 8 },
        }),
        historyStep('correction', {
          toStatus: 'Undelivered',
          correctionOf: 'done',
          reasonCode: 'recipient_absent',
          note: 'Wrong button',
          occurredAt: '2026-11-20T07:00:00Z',
          receivedAt: '2026-11-20T07:00:00Z',
        }),
        historyStep('again', {
          attempt: 2,
          receivedAt: '2026-11-20T08:00:00Z',
          changes: [
            change('attempt', '1', '2'),
            change('outcomeReason', 'recipient_absent'),
            change('outcomeNote', 'Gate locked'),
            change('outcomeLat', '14.56'),
            change('outcomeLng', '121.02'),
            change('receivedBy', 'Of an item', null, '10'),
          ],
        }),
      ],
    });
    expect(attemptOf(corrected, 1)).toMatchObject({
      status: 'Undelivered',
      reason: 'recipient_absent',
      note: 'Gate locked',
      occurredAt: '2026-11-20T02:00:00Z',
      receivedAt: '2026-11-20T02:40:00Z',
      late: true,
      point: { lat: 14.56, lng: 121.02, accuracy: null },
      receivedBy: null,
    });
  });

  it.each([[undefined, 2], ['1', 1], ['2', 2], ['0', 2], ['3', 2], ['1.5', 2], ['x', 2], ['', 2]])(
    'are asked for by %j',
    (asked, number) => {
      expect(attemptAsked(two, asked)).toBe(number);
    },
  );
});

it('finds what differs between two readings', () => {
  const before = delivery();
  expect(differencesBetween(before, delivery({ version: 9, updatedBy: 'x' }))).toEqual([]);
  const after = delivery({
    driverId: 'D1',
    items: [item('10', { quantity: 41 }), item('30')],
  });
  expect(differencesBetween(before, after)).toEqual([
    { itemNumber: null, field: 'driverId', before: null, after: 'D1' },
    { itemNumber: '10', field: 'quantity', before: '40', after: '41' },
    { itemNumber: '30', field: 'itemNumber', before: null, after: '30' },
    { itemNumber: '20', field: 'itemNumber', before: '20', after: null },
  ]);
});

it('finds a late update from a driver, also when there was one before', () => {
  const late = (id: string, toStatus: string) => historyStep(id, { toStatus, superseded: true });
  const one = delivery({ history: [historyStep('h1'), late('h2', 'Rejected')] });
  const two = delivery({ history: [historyStep('h1'), late('h2', 'Rejected'), late('h3', 'Undelivered')] });
  expect(differencesBetween(delivery(), one)).toEqual([
    { itemNumber: null, field: 'lateUpdate', before: null, after: 'Rejected' },
  ]);
  expect(differencesBetween(one, two)).toEqual([
    { itemNumber: null, field: 'lateUpdate', before: null, after: 'Undelivered' },
  ]);
});

it('finds a change of every field that saving the form would overwrite', () => {
  const before = delivery();
  const names = Object.keys(inputOf(headForm, valuesOf(headForm, before, 'UTC'), 'UTC', before));
  expect(names).toContain('addressPoint');
  const point = { lat: 14.5, lng: 121, accuracy: null };
  const missed = names.filter((name) => {
    const after = delivery({ [name]: name === 'addressPoint' ? point : 'another' });
    return differencesBetween(before, after).length === 0;
  });
  expect(missed).toEqual([]);
  expect(differencesBetween(before, delivery({ addressPoint: point }))).toEqual([
    { itemNumber: null, field: 'addressLat', before: null, after: '14.5' },
    { itemNumber: null, field: 'addressLng', before: null, after: '121' },
  ]);
});

it('lays out allowed actions, each once', () => {
  expect(layOut(delivery())).toEqual({
    primary: 'complete',
    buttons: ['print', 'edit'],
    menu: ['mark_undelivered', 'reject', 'assign_driver', 'add_evidence'],
  });
  expect(layOut(completedDelivery() as unknown as Delivery).primary).toBe('correct_lines');
  expect(layOut(delivery({ allowedActions: [] }))).toEqual({ primary: undefined, buttons: [], menu: [] });
});

it.each([[[], '10'], [['10', '20'], '30'], [['A', '15'], '20'], [['9007199254740993'], '10']])(
  'numbers the item after %j as %s',
  (numbers, next) => {
    expect(nextItem(numbers).itemNumber).toBe(next);
  },
);
