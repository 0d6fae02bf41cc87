import { act, renderHook } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import type { Lookup } from './resource';
import { LOOKUP_DEBOUNCE_MS, useLookup } from './use-lookup';

vi.mock('urql', () => ({ useClient: () => 'client' }));

it('asks 300 ms after the last key, and once', async () => {
  vi.useFakeTimers();
  const search = vi.fn<Lookup['search']>().mockResolvedValue([{ label: 'Bayan Mart', value: 'b1' }]);
  const lookup: Lookup = { limit: 10, search };
  const { result, rerender } = renderHook(({ text }) => useLookup(lookup, text), {
    initialProps: { text: 'b' },
  });
  await act(() => vi.advanceTimersByTimeAsync(299));
  rerender({ text: 'ba' });
  await act(() => vi.advanceTimersByTimeAsync(299));
  expect(search).not.toHaveBeenCalled();
  await act(() => vi.advanceTimersByTimeAsync(1));
  expect(search).toHaveBeenCalledExactlyOnceWith('client', 'ba', 10, expect.any(AbortSignal));
  expect(result.current.options).toEqual([{ label: 'Bayan Mart', value: 'b1' }]);
});

it('stops a search that nobody waits for any more', async () => {
  vi.useFakeTimers();
  const search = vi.fn<Lookup['search']>(() => new Promise(() => undefined));
  const lookup: Lookup = { limit: 10, search };
  const { rerender, unmount } = renderHook(({ text }) => useLookup(lookup, text), { initialProps: { text: 'b' } });
  const signalOf = (at: number) => search.mock.calls[at]?.[3];
  await act(() => vi.advanceTimersByTimeAsync(LOOKUP_DEBOUNCE_MS));
  expect(signalOf(0)?.aborted).toBe(false);
  rerender({ text: 'ba' });
  expect(signalOf(0)?.aborted).toBe(true);
  await act(() => vi.advanceTimersByTimeAsync(LOOKUP_DEBOUNCE_MS));
  expect(signalOf(1)?.aborted).toBe(false);
  unmount();
  expect(signalOf(1)?.aborted).toBe(true);
});
