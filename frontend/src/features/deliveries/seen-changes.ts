import { useSyncExternalStore } from 'react';
import * as v from 'valibot';
import { readStored, writeStored } from '@/lib/stored-json';

const KEY = 'waybill.bulk-changes.seen';
/** The server lists no more than these. */
const KEPT = 20;

const schema = v.array(v.string());
const listeners = new Set<() => void>();
const read = () => readStored(KEY, (value) => v.parse(schema, value), []);

export function markSeen(id: string): void {
  writeStored(KEY, [id, ...read().filter((other) => other !== id)].slice(0, KEPT));
  for (const tell of listeners) tell();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Whether somebody has read what came of a change, by its id. */
export function useSeen(): (id: string) => boolean {
  // A text, so that reading it twice gives the same.
  const seen = useSyncExternalStore(subscribe, () => read().join(' '));
  return (id) => seen.split(' ').includes(id);
}
