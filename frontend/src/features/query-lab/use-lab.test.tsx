import { act, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, it, vi } from 'vitest';
import { createAuthClient } from '@/auth/auth-client';
import { createAuthStore } from '@/auth/auth-store';
import { AuthContext } from '@/auth/use-auth';
import { type HistoryEntry, useLab } from './use-lab';

/** Opens the lab, as in one more tab of the browser. */
function openLab() {
  const store = createAuthStore(createAuthClient(), () => Promise.resolve(null));
  const wrapper = ({ children }: { children: ReactNode }) => <AuthContext value={store}>{children}</AuthContext>;
  const { result } = renderHook(() => useLab('Asia/Manila'), { wrapper });
  return {
    lab: () => result.current,
    texts: () => result.current.tabs.map(({ text }) => text),
    runs: () => result.current.history.map(({ text }) => text),
    /** Opens a query, and returns its id. */
    open: (text: string) => {
      act(() => result.current.open(text));
      return result.current.current.id;
    },
    note: (text: string) => act(() => result.current.note(run(text))),
  };
}

let runs = 0;
const run = (text: string): HistoryEntry => ({ at: (runs += 1), text, rows: 1, ms: 5 });
const query = (name: string) => JSON.stringify({ measures: [name] });

it('keeps what another browser tab has opened and run', () => {
  const [first, second] = [openLab(), openLab()];
  first.open(query('a'));
  first.note(query('a'));
  const shown = second.lab().current.id;
  second.note(query('b'));
  const third = openLab();
  expect(third.texts()).toContain(query('a'));
  expect(third.runs()).toEqual([query('b'), query('a')]);
  // The second shows what it has taken over, and stays where it was.
  expect(second.texts()).toContain(query('a'));
  expect(second.lab().current.id).toBe(shown);
});

it('keeps a query closed, even if another browser tab still has it', () => {
  const first = openLab();
  const id = first.open(query('a'));
  const second = openLab();
  act(() => first.lab().close(id));
  second.note(query('b'));
  first.note(query('c'));
  expect(first.texts()).not.toContain(query('a'));
  expect(openLab().texts()).not.toContain(query('a'));
});

it('stores what another browser tab has changed, and leaves the query on its own screen alone', () => {
  const first = openLab();
  const id = first.open(query('a'));
  const second = openLab();
  act(() => first.lab().edit(id, { text: query('changed') }));
  second.note(query('b'));
  expect(second.lab().current.text).toBe(query('a'));
  expect(openLab().texts()).toContain(query('changed'));
  act(() => second.lab().edit(id, { text: query('changed last') }));
  expect(openLab().texts()).toContain(query('changed last'));
});

it('keeps the history clear after it was cleared in another browser tab', () => {
  const [first, second] = [openLab(), openLab()];
  first.note(query('a'));
  second.note(query('b'));
  act(() => first.lab().forget());
  second.note(query('c'));
  expect(openLab().runs()).toEqual([query('c')]);
});

it('takes over no more queries than it has room for', () => {
  const [first, second] = [openLab(), openLab()];
  const names = Array.from({ length: 11 }, (_, index) => index);
  for (const name of names) first.open(query(`a${name}`));
  for (const name of names) second.open(query(`b${name}`));
  const [of1, of2] = [first, second].map(({ lab }) => lab().tabs);
  expect([of1?.length, of2?.length]).toEqual([12, 12]);
  expect(second.texts()).toEqual(expect.arrayContaining(names.map((name) => query(`b${name}`))));
  // What is stored is still valid.
  expect(openLab().texts()).toEqual(second.texts());
});

it('applies changes that follow each other at once', () => {
  const first = openLab();
  const { open, note } = first.lab();
  act(() => {
    open(query('a'));
    open(query('b'));
    note(run(query('c')));
  });
  expect(first.texts().slice(-2)).toEqual([query('a'), query('b')]);
  expect(openLab().texts()).toEqual(first.texts());
  expect(openLab().runs()).toEqual([query('c')]);
});

it('keeps the history of this browser tab while the storage is full', () => {
  const first = openLab();
  first.note(query('a'));
  const full = vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError');
  });
  first.note(query('b'));
  first.note(query('c'));
  expect(first.runs()).toEqual([query('c'), query('b'), query('a')]);
  full.mockRestore();
  first.note(query('d'));
  expect(openLab().runs()).toEqual([query('d'), query('c'), query('b'), query('a')]);
});
