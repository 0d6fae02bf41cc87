import { beforeEach, expect, it, vi } from 'vitest';
import { createRowWindows, type RowWindows, WINDOW } from './row-windows';

const TOTAL = 100_000;
let asked: number[];
let failing: boolean;
let edition: string;
let list: RowWindows<string>;

beforeEach(() => {
  vi.useFakeTimers();
  [asked, failing, edition] = [[], false, 'a'];
  list = createRowWindows(async (offset, limit) => {
    asked.push(offset);
    if (failing) throw new Error('gone');
    return { rows: Array.from({ length: limit }, (_, index) => `${edition}${offset + index}`), total: TOTAL };
  });
  return () => vi.useRealTimers();
});

const settle = () => vi.advanceTimersByTimeAsync(1_000);

it('loads the rows in view, and each window once', async () => {
  list.view(0, 30);
  expect(list.total()).toBeUndefined();
  await settle();
  expect([list.total(), list.rowAt(0), list.rowAt(99), list.rowAt(100)]).toEqual([TOTAL, 'a0', 'a99', undefined]);
  list.view(40, 70);
  await settle();
  expect(asked).toEqual([0]);
  list.view(95, 130);
  await settle();
  expect(asked).toEqual([0, WINDOW]);
});

it('does not load rows that a scrolling hand passes', async () => {
  list.view(0, 30);
  await settle();
  for (let at = 0; at <= 50_000; at += 500) list.view(at, at + 30);
  await settle();
  expect(asked).toEqual([0, 50_000]);
});

it('keeps a bounded number of windows', async () => {
  for (let at = 0; at < 60 * WINDOW; at += WINDOW) {
    list.view(at, at);
    await settle();
  }
  expect(list.rowAt(0)).toBeUndefined();
  expect(list.rowAt(59 * WINDOW)).toBe('a5900');
  list.view(0, 0);
  await settle();
  expect(list.rowAt(0)).toBe('a0');
});

it('keeps the rows in view until they are loaded again', async () => {
  list.view(0, 150);
  await settle();
  list.view(0, 30);
  await settle();
  edition = 'b';
  list.reload();
  expect([list.rowAt(0), list.rowAt(150)]).toEqual(['a0', undefined]);
  await settle();
  expect(list.rowAt(0)).toBe('b0');
  expect(await list.rowsBetween(99, 101)).toEqual(['b99', 'b100', 'b101']);
});

it('reports a failure and loads again on request', async () => {
  const seen = vi.fn<() => void>();
  list.subscribe(seen);
  failing = true;
  list.view(0, 30);
  await settle();
  expect(list.error()).toBeInstanceOf(Error);
  expect(seen).toHaveBeenCalledTimes(1);
  failing = false;
  list.reload();
  await settle();
  expect([list.error(), list.rowAt(0)]).toEqual([undefined, 'a0']);
});
