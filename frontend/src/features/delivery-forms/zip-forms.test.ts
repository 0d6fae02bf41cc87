import { describe, expect, it, vi } from 'vitest';
import { fileName } from '@/lib/file-name';
import { zipForms } from './zip-forms';

type Send = typeof fetch;

const pdf = (text: string) => new Response(text, { headers: { 'content-type': 'application/pdf' } });
const refusal = (status: number, error: string) =>
  Response.json({ ok: false, error }, { status });

/** Returns the contents of a ZIP with uncompressed entries, by their names. */
async function entriesOf(zip: Blob | undefined): Promise<Record<string, string>> {
  const bytes = new Uint8Array(await (zip ?? new Blob()).arrayBuffer());
  const view = new DataView(bytes.buffer);
  const text = (from: number, to: number) => new TextDecoder().decode(bytes.subarray(from, to));
  const entries: Record<string, string> = {};
  for (let at = 0; at + 46 <= bytes.length; at += 1) {
    // This is an entry of the central directory, which holds size and offset.
    if (view.getUint32(at, true) !== 0x02014b50) continue;
    const size = view.getUint32(at + 24, true);
    const nameLength = view.getUint16(at + 28, true);
    const start = view.getUint32(at + 42, true);
    const content =
      start + 30 + view.getUint16(start + 26, true) + view.getUint16(start + 28, true);
    entries[text(at + 46, at + 46 + nameLength)] = text(content, content + size);
  }
  return entries;
}

function run(ids: string[], send: Send, signal?: AbortSignal) {
  const onProgress = vi.fn<(done: number) => void>();
  const result = zipForms(ids, {
    paper: 'letter',
    getToken: () => Promise.resolve('secret'),
    fetch: send,
    onProgress,
    ...(signal && { signal }),
  });
  return { result, onProgress };
}

it('asks for each form with the token, and packs what comes', async () => {
  const send = vi.fn<Send>((path) => Promise.resolve(pdf(`pdf of ${String(path)}`)));
  const { result, onProgress } = run(['DR-1', 'A/B 100%'], send);
  const { zip, saved, missing, failed } = await result;
  expect({ saved, missing, failed }).toEqual({ saved: 2, missing: [], failed: [] });
  expect(await entriesOf(zip)).toEqual({
    'DR-1.pdf': 'pdf of /delivery-forms/DR-1.pdf?paper=letter',
    'A_B 100%.pdf': 'pdf of /delivery-forms/A%2FB%20100%25.pdf?paper=letter',
  });
  const [, init] = send.mock.calls[0] ?? [];
  expect(new Headers(init?.headers).get('authorization')).toBe('Bearer secret');
  expect(onProgress.mock.calls).toEqual([[1], [2]]);
});

it('packs the others when some fail, and tells those without a form apart', async () => {
  const { result, onProgress } = run(['DR-1', 'DR-2', 'DR-3', 'DR-4'], (path) => {
    if (String(path).includes('DR-2')) return Promise.resolve(refusal(404, 'No form'));
    if (String(path).includes('DR-3')) return Promise.resolve(refusal(500, 'Try again later'));
    if (String(path).includes('DR-4')) return Promise.reject(new TypeError('lost'));
    return Promise.resolve(pdf('one'));
  });
  const { zip, saved, missing, failed } = await result;
  expect(await entriesOf(zip)).toEqual({ 'DR-1.pdf': 'one' });
  expect({ saved, missing }).toEqual({ saved: 1, missing: ['DR-2'] });
  expect(failed).toEqual([
    { deliveryId: 'DR-3', text: 'Try again later' },
    { deliveryId: 'DR-4', text: 'An error has occurred' },
  ]);
  expect(onProgress).toHaveBeenLastCalledWith(4);
});

it('makes no empty ZIP', async () => {
  const { result } = run(['DR-1'], () => Promise.resolve(refusal(404, 'No form')));
  expect(await result).toEqual({ zip: undefined, saved: 0, missing: ['DR-1'], failed: [] });
});

it('reads four at a time, and all of many', async () => {
  let open = 0;
  let most = 0;
  const ids = Array.from({ length: 50 }, (_, index) => `DR-${index}`);
  const { result } = run(ids, async (path) => {
    open += 1;
    most = Math.max(most, open);
    // Each answer takes a different number of ticks.
    for (let turn = 0; turn < String(path).length % 3; turn += 1) await Promise.resolve();
    open -= 1;
    return pdf(String(path));
  });
  const { zip, saved } = await result;
  expect(saved).toBe(50);
  expect(Object.keys(await entriesOf(zip))).toHaveLength(50);
  expect(most).toBe(4);
});

it('asks no further once nobody is signed in', async () => {
  const ids = Array.from({ length: 20 }, (_, index) => `DR-${index}`);
  const send = vi.fn<Send>(() => Promise.resolve(refusal(401, 'Sign in first')));
  const { failed } = await run(ids, send).result;
  expect(failed).toHaveLength(20);
  expect(failed.at(-1)).toEqual({ deliveryId: 'DR-19', text: 'Sign in first' });
  expect(send.mock.calls.length).toBeLessThanOrEqual(4);
});

it('ends when it is called off', async () => {
  const controller = new AbortController();
  const { result } = run(
    ['DR-1', 'DR-2', 'DR-3', 'DR-4', 'DR-5', 'DR-6'],
    (path, init) =>
      new Promise((resolve, reject) => {
        if (String(path).includes('DR-1')) resolve(pdf('one'));
        init?.signal?.addEventListener('abort', () =>
          reject(new DOMException('Called off', 'AbortError')),
        );
      }),
    controller.signal,
  );
  controller.abort();
  await expect(result).rejects.toThrow();
});

describe('the name of a file', () => {
  it.each([
    ['DR-1', 'DR-1'],
    ['A/B:C*', 'A_B_C_'],
    ['..', '_'],
    ['../etc', '__etc'],
    ['CON. ', 'CON_'],
    ['', '_'],
    ['Über 7 / 株式会社', 'Über 7 _ 株式会社'],
    ['شركة-1', 'شركة-1'],
    ['a\u202Efdp', 'a_fdp'],
  ])('of %j is %j', (deliveryId, name) => {
    expect(fileName(deliveryId)).toBe(name);
  });

  it('differs from all others', async () => {
    const { result } = run(['A/B', 'A:B', 'a_b'], (path) => Promise.resolve(pdf(String(path))));
    expect(Object.keys(await entriesOf((await result).zip)).toSorted()).toEqual([
      'A_B-2.pdf',
      'A_B.pdf',
      'a_b-3.pdf',
    ]);
  });
});
