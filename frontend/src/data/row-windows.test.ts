import { beforeEach, expect, it, vi } from 'vitest';
import { createRowWindows, type RowWindows, WINDOW } from './row-windows';

const TOTAL = 100_000;
let asked: number[];
let failing: boolean;
let edition: string;
let list: RowWindows<string>;
/** Called before each answer. */
let loading: (offset: number) => Promise<void>;

beforeEach(() => {
  vi.useFakeTimers();
  [asked, failing, edition] = [[], false, 'a'];
  loading = () => Promise.resolve();
  list = createRowWindows(async (offset, limit) => {
    asked.push(offset);
    await loading(offset);
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

it('loads more rows than are kept, a few windows at a time', async () => {
  list.view(0, 30);
  await settle();
  let [open, most] = [0, 0];
  loading = async () => {
    open += 1;
    most = Math.max(most, open);
    await Promise.resolve();
    open -= 1;
  };
  const rows = await list.rowsBetween(50, 5_999);
  expect([rows.length, rows[0], rows.at(-1)]).toEqual([5_950, 'a50', 'a5999']);
  expect(new Set(rows).size).toBe(5_950);
  expect(most).toBe(4);
});

it('returns no rows between two if some cannot be loaded, or if the list is loaded again meanwhile', async () => {
  list.view(0, 30);
  await settle();
  loading = (offset) => (offset === 700 ? Promise.reject(new Error('gone')) : Promise.resolve());
  await expect(list.rowsBetween(0, 999)).rejects.toThrow('gone');
  loading = (offset) => Promise.resolve(offset === 700 ? list.reload() : undefined);
  await expect(list.rowsBetween(0, 999)).rejects.toThrow('loaded again');
});
