import { act, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { describe, expect, it, vi } from 'vitest';
import { createAuthClient } from '@/auth/auth-client';
import { createAuthStore } from '@/auth/auth-store';
import { AuthContext } from '@/auth/use-auth';
import { type HistoryEntry, MAX_TABS, useLab } from './use-lab';

/** Opens the lab, as in one more tab of the browser. */
function openLab(queries?: { id: string; text: string }[]) {
  const store = createAuthStore(createAuthClient(), () => Promise.resolve(null));
  const wrapper = ({ children }: { children: ReactNode }) => <AuthContext value={store}>{children}</AuthContext>;
  const { result } = renderHook(() => useLab('Asia/Manila', queries), { wrapper });
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
  for (const name of names) {
    first.open(query(`a${name}`));
    first.note(query(`a${name}`));
  }
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

describe('at the limit', () => {
  /** Opens queries that were neither run nor saved until no more fit. */
  function fill(lab: ReturnType<typeof openLab>) {
    while (lab.texts().length < MAX_TABS) lab.open(query(`unsaved${lab.texts().length}`));
  }

  it('closes the oldest query that was run, is saved as it stands, or is new', () => {
    const saved = { id: 'v1', name: 'Mine', isOwn: true };
    const shared = { id: 'v2', name: 'Theirs', isOwn: false };
    const lab = openLab([{ id: 'v1', text: query('saved') }]);
    const [fresh = ''] = lab.texts();
    const unsaved = lab.open(query('unsaved'));
    act(() => void lab.lab().open(query('saved'), saved));
    act(() => void lab.lab().open('', shared));
    lab.open(query('run'));
    lab.note(query('run'));
    fill(lab);
    for (const text of [fresh, query('saved'), '', query('run')]) {
      expect(lab.texts()).toContain(text);
      lab.open(query(`after ${text}`));
      expect(lab.texts()).not.toContain(text);
      expect(lab.texts()).toHaveLength(MAX_TABS);
    }
    expect(lab.lab().tabs[0]?.id).toBe(unsaved);
  });

  it('opens no query while each that is open would be lost', () => {
    const lab = openLab([{ id: 'v1', text: query('saved') }]);
    const [fresh] = lab.lab().tabs;
    act(() => lab.lab().edit(fresh?.id ?? '', { text: query('edited') }));
    act(() => void lab.lab().open(query('changed since it was saved'), { id: 'v1', name: 'Mine', isOwn: true }));
    fill(lab);
    const before = lab.lab().tabs;
    const { id } = lab.lab().current;
    let isOpen: boolean | undefined;
    act(() => {
      isOpen = lab.lab().open(query('thirteenth'));
    });
    expect(isOpen).toBe(false);
    expect(lab.lab().tabs).toEqual(before);
    expect(lab.lab().current.id).toBe(id);
    // One that is open already is only shown.
    act(() => {
      isOpen = lab.lab().open(query('saved'), { id: 'v1', name: 'Mine', isOwn: true });
    });
    expect(isOpen).toBe(true);
    act(() => lab.lab().close(id));
    act(() => {
      isOpen = lab.lab().open(query('thirteenth'));
    });
    expect(isOpen).toBe(true);
  });
});
