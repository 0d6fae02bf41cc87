import { expect, it, vi } from 'vitest';
import { createLocationStore } from './location-store';
import { location } from '@/test/tracker';

function storeWithFrames() {
  const frames: (() => void)[] = [];
  const store = createLocationStore((run) => frames.push(run));
  const heard = vi.fn();
  store.subscribe(heard);
  return { store, heard, frames, frame: () => frames.splice(0).forEach((run) => run()) };
}

it('tells of many batches once a frame, and of none when nothing changed', () => {
  const { store, heard, frames, frame } = storeWithFrames();
  store.apply([location('DRV-1', { name: 'Rico Santos' })]);
  store.apply([location('DRV-2', { name: 'Ana Reyes' })]);
  expect(heard).not.toHaveBeenCalled();
  expect(frames).toHaveLength(1);
  frame();
  expect(heard).toHaveBeenCalledTimes(1);
  expect(store.all().map(({ name }) => name)).toEqual(['Ana Reyes', 'Rico Santos']);
  const before = store.all();
  store.apply([location('DRV-1', { name: 'Rico Santos' })]);
  frame();
  expect(heard).toHaveBeenCalledTimes(1);
  expect(store.all()).toBe(before);
});

it('lets nothing that comes late move a driver back, and keeps who did not move the same', () => {
  const { store, frame } = storeWithFrames();
  store.apply([
    location('DRV-1', { occurredAt: '2026-11-20T07:00:10Z', lat: 14.6 }),
    location('DRV-2', { occurredAt: '2026-11-20T07:00:00Z' }),
  ]);
  frame();
  const still = store.get('DRV-2');
  store.apply([location('DRV-1', { occurredAt: '2026-11-20T07:00:05Z', lat: 14.5 })]);
  frame();
  expect(store.get('DRV-1')?.position.lat).toBe(14.6);
  store.apply([location('DRV-1', { occurredAt: '2026-11-20T07:00:11Z', lat: 14.61 })]);
  frame();
  expect(store.get('DRV-1')?.position.lat).toBe(14.61);
  expect(store.get('DRV-2')).toBe(still);
  // The driver was blocked in the meantime. The event has the position that the store already has.
  store.apply([location('DRV-2', { occurredAt: '2026-11-20T07:00:00Z', status: 'blocked' })]);
  frame();
  expect(store.get('DRV-2')?.status).toBe('blocked');
});
